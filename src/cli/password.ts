import { isUtf8 } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Config, UsageError } from '../config.ts';
import { isShortPassword, MIN_PASSWORD } from '../domain/password.ts';
import { commandLine, quote } from './invocation.ts';
import { words } from './words.ts';

export interface PasswordChoice {
  /** The password comes on standard input. */
  passwordStdin?: boolean;
  /** The password is made here, and printed. */
  generate?: boolean;
}

/**
 * A new password; asked for on the terminal unless it comes another way. `beforeAsking` may reject where it would be
 * typed for nothing.
 */
export async function getPassword(
  { passwordStdin = false, generate = false }: PasswordChoice,
  beforeAsking?: () => Promise<unknown>,
): Promise<string> {
  if (generate) return generatePassword();
  if (passwordStdin) return readPassword(process.stdin);
  if (process.stdin.isTTY) {
    await beforeAsking?.();
    return askPassword(process.stdin, process.stderr);
  }
  throw new UsageError('there is no terminal to ask for a password; give --password-stdin or --generate');
}

/** The password of an account on another server; asked for on the terminal unless it comes on standard input. */
export async function getRemotePassword({ passwordStdin = false }: PasswordChoice): Promise<string> {
  if (passwordStdin) return readPassword(process.stdin);
  if (process.stdin.isTTY) return askPassword(process.stdin, process.stderr, ['Password: ']);
  throw new UsageError('there is no terminal to ask for a password; give --password-stdin');
}

/** Without those that look alike in some typefaces. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A password of 99 random bits that can be typed on a phone: four groups of five. */
export function generatePassword(): string {
  return Array.from({ length: 4 }, randomGroup).join('-');
}

const randomGroup = (): string => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/**
 * Prints the password that was made for `user`. To be called once it holds: a script would go on with one that was
 * refused. Rejects where nobody could read it.
 */
export async function printPassword(password: string, user: string, config: Config): Promise<void> {
  const failure = await new Promise((resolve) => process.stdout.write(`${password}\n`, resolve));
  if (!failure) return;
  const command = commandLine(`user passwd ${quote(user)} --generate`, config);
  throw new Error(`${user} has a new password, which nobody could read; make another one with: ${command}`);
}

/** Warns of a short new password. The operator may set one all the same. */
export function warnIfShort(password: string): void {
  if (!isShortPassword(password)) return;
  words.warn(`this password has fewer than ${MIN_PASSWORD} characters: a longer one takes longer to guess`);
}

/** The one line that comes through a pipe. Rejects when there is none, or more. */
export async function readPassword(input: NodeJS.ReadableStream): Promise<string> {
  const bytes = await buffer(input);
  if (!isUtf8(bytes)) throw new Error('the password on standard input is not UTF-8');
  // The decoder drops a byte order mark, which PowerShell may put in front.
  const password = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
  if (password === '') throw new Error('there is no password on standard input');
  if (/[\r\n]/.test(password)) throw new Error('there is more than one line on standard input; a password is one line');
  return password;
}

/** Asks, twice for a new one, on a terminal that shows nothing of it. Rejects when it is given up, or the two differ. */
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
    if (line.done) throw new Error('no password was given: nothing was changed');
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
