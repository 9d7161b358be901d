import { createInterface } from 'node:readline/promises';
import { UsageError } from '../config.ts';

/** Throws UsageError if there is no terminal to ask for confirmation. */
export function requireTerminal(): void {
  if (!process.stdin.isTTY) throw new UsageError('no terminal to ask for confirmation; confirm with --yes');
}

/** Asks for confirmation on the terminal. Rejects unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const answer = await ask(`${question} [y/N] `);
  if (!isYes(answer)) throw new Error('not confirmed: nothing was changed');
}

/** Asks on the terminal until the answer is yes, no, or Enter for the suggested one. Rejects if the user cancels. */
export async function askYesNo(question: string, suggested: boolean): Promise<boolean> {
  for (;;) {
    const answer = await ask(`${question} ${suggested ? '[Y/n]' : '[y/N]'} `);
    if (answer === undefined) throw new Error('cancelled: nothing was changed');
    if (answer === '') return suggested;
    if (isYes(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
  }
}

const isYes = (answer = ''): boolean => /^y(?:es)?$/i.test(answer);

/** The answer, trimmed; undefined after Ctrl-C or Ctrl-D. */
async function ask(question: string): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
  try {
    return (await Promise.race([reader.question(question), closed]))?.trim();
  } finally {
    reader.close();
  }
}
