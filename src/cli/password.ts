import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Config, UsageError } from '../config.ts';
import { isShortPassword, MIN_PASSWORD } from '../domain/password.ts';
import { createGroupedSecret } from '../services/accounts/grouped-secret.ts';
import { commandLine, quote } from './invocation.ts';
import { messages, printSecret } from './output.ts';

export interface PasswordOptions {
  /** Read it from standard input. */
  passwordStdin?: boolean;
  /** Generate and print one. */
  generate?: boolean;
}

/**
 * A new password. Asks for it on the terminal, unless an option selects another source. `beforeAsking` may reject before
 * the user types one.
 */
export async function getPassword(
  { passwordStdin = false, generate = false }: PasswordOptions,
  beforeAsking: () => Promise<unknown>,
): Promise<string> {
  if (generate) return generatePassword();
  if (passwordStdin) return readPassword(process.stdin);
  if (process.stdin.isTTY) {
    await beforeAsking();
    return askPassword(process.stdin, process.stderr);
  }
  throw new UsageError('no terminal to ask for a password; use --password-stdin or --generate');
}

/** The password of an account on another server, from standard input or, after `beforeAsking`, the terminal. */
export async function getRemotePassword(
  host: string,
  { passwordStdin = false }: PasswordOptions,
  beforeAsking: () => Promise<void>,
): Promise<string> {
  if (passwordStdin) return readPassword(process.stdin);
  if (!process.stdin.isTTY) throw new UsageError('no terminal to ask for a password; use --password-stdin');
  await beforeAsking();
  return askPassword(process.stdin, process.stderr, [`Password on ${host}: `]);
}

/** A password of 99 random bits. */
export const generatePassword = (): string => createGroupedSecret(4);

/**
 * Prints a generated password to stdout, for scripts, and a label to stderr. Call it only after the password was set, because
 * a script would otherwise use a refused one. Rejects if it cannot be printed.
 */
export async function printPassword(password: string, user: string, config: Config): Promise<void> {
  messages.info(`Generated password for ${user}:`);
  const command = commandLine(`user passwd ${quote(user)} --generate`, config);
  await printSecret(password, `the new password of ${user}`, `generate another one with: ${command}`);
}

/** Warns of a short new password, which the operator may set. */
export function warnIfShort(password: string): void {
  if (!isShortPassword(password)) return;
  messages.warn(`This password has fewer than ${MIN_PASSWORD} characters; a longer one is harder to guess`);
}

/** The only line of standard input. Rejects if there is none or more than one. */
export async function readPassword(input: NodeJS.ReadableStream): Promise<string> {
  const bytes = await buffer(input);
  // Letters in UTF-16 are valid UTF-8, with zero bytes between them.
  if (!isUtf8(bytes) || bytes.includes(0)) throw new Error('the password on standard input is not UTF-8');
  // The decoder drops a byte order mark, which PowerShell may put in front.
  const password = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
  if (password === '') throw new Error('standard input is empty; it must contain the password');
  if (/[\r\n]/.test(password)) {
    throw new Error('standard input has more than one line; it must contain only the password');
  }
  return password;
}

/** Asks on the terminal without echo, twice for a new password. Rejects if the user cancels, or if the two differ. */
export async function askPassword(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  questions: readonly string[] = ['Password: ', 'Repeat password: '],
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  reader.on('SIGINT', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    const line = await lines.next();
    output.write('\n');
    if (line.done) throw new Error('cancelled: nothing was changed');
    return line.value;
  };
  try {
    const answers: string[] = [];
    for (const question of questions) answers.push(await ask(question));
    if (new Set(answers).size > 1) throw new Error('the two passwords differ: nothing was changed');
    return answers[0]!;
  } finally {
    reader.close();
  }
}
