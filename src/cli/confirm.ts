import { createInterface } from 'node:readline/promises';
import { UsageError } from '../config.ts';

/** Throws UsageError where a question must be asked and nobody is there to answer. */
export function requireAnswerable(yes: boolean): void {
  if (!yes && !process.stdin.isTTY) {
    throw new UsageError('there is no terminal to ask whether this is meant; give --yes');
  }
}

/** Asks on the terminal. Rejects unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([reader.question(`${question} [y/N] `), closed]);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Error('the answer was not yes: nothing was changed');
  } finally {
    reader.close();
  }
}
