import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { askPassword, generatePassword, readPassword } from '../../src/cli/password.ts';

/** Types `keys` on a terminal; returns the result and what the terminal showed. */
async function type(keys: string) {
  const input = new PassThrough();
  const output = new PassThrough().setEncoding('utf8');
  const answer = askPassword(input, output);
  input.end(keys);
  const result = await answer.catch((error: Error) => error);
  return { result, shown: output.read() as string };
}

it('asks twice, and does not show what is typed', async () => {
  const { result, shown } = await type('hunter2\rhunter2\r');
  expect(result).toBe('hunter2');
  expect(shown).toBe('Password: \nRepeat password: \n');
});

it('supports keys that correct a mistake, and does not offer the first password as history', async () => {
  expect((await type('hunterr\u007f2\rhunter2\r')).result).toBe('hunter2');
  expect((await type('hunter2\r\u001b[A\r')).result).toEqual(
    new Error('the two passwords differ: nothing was changed'),
  );
});

it.each([
  ['Ctrl-C', 'hunt\u0003', 'cancelled: nothing was changed'],
  ['Ctrl-D', '\u0004', 'cancelled: nothing was changed'],
  ['the end of the input', 'hunter2\r', 'cancelled: nothing was changed'],
  ['something else the second time', 'hunter2\rhunter3\r', 'the two passwords differ: nothing was changed'],
])('fails at %s', async (_title, keys, message) => {
  const { result, shown } = await type(keys);
  expect(result).toEqual(new Error(message));
  expect(shown).not.toContain('hunt');
});

it('generates different passwords that are easy to type on a phone', () => {
  const passwords = Array.from({ length: 100 }, generatePassword);
  expect(new Set(passwords).size).toBe(100);
  for (const password of passwords) expect(password).toMatch(/^[a-hjkmnp-z2-9]{5}(-[a-hjkmnp-z2-9]{5}){3}$/);
});

it.each([
  ['secret', 'secret'],
  ['secret\n', 'secret'],
  ['secret\r\n', 'secret'],
  ['\ufeffsecret\r\n', 'secret'],
  [' a b \n', ' a b '],
])('reads %j from a pipe as %j', async (sent, password) => {
  expect(await readPassword(Readable.from([Buffer.from(sent)]))).toBe(password);
});
