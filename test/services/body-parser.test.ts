import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type BodyParser, createBodyParser } from '../../src/services/sync/body-parser.ts';
import { collectGarbage } from '../garbage.ts';

let parser: BodyParser = createBodyParser();
afterEach(async () => {
  await parser.close();
  parser = createBodyParser();
});

const bytes = (text: string): Uint8Array => Buffer.from(text);
const opml = (body: string): string => `<opml><body>${body}</body></opml>`;
const outlines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<outline xmlUrl="http://example.org/${index}" title="T"/>`).join('');
const refused = (code: string, words: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(words) });

it.each([
  ['many actions', Array.from({ length: 50_000 }, (_, index) => ({ podcast: `http://ü/${index}`, position: index }))],
  ['one long text', ['ü'.repeat(100_000)]],
  ['an object', { add: Array.from({ length: 20_000 }, (_, index) => `http://example.org/${index}`), remove: [] }],
  ['arrays in each other', [Array.from({ length: 9000 }, () => [1, [2]])]],
  ['a number', Number(`1${'0'.repeat(300)}`)],
])('reads %s as JSON', async (_, value) => {
  const text = `${' '.repeat(70_000)}${JSON.stringify(value)}`;
  expect(await parser.json(bytes(text))).toEqual(JSON.parse(text));
});

it('keeps keys that are properties of objects', async () => {
  const text = `[{"__proto__":{"a":1},"constructor":2},"${'x'.repeat(70_000)}"]`;
  const [entry] = (await parser.json(bytes(text))) as object[];
  expect(JSON.stringify(entry)).toBe('{"__proto__":{"a":1},"constructor":2}');
});

it.each([
  ['entries', `[${'0,'.repeat(100_000)}0]`, 'too-large', 'up to 100000 entries'],
  ['values in one entry', `[1,[${'[],'.repeat(50_000)}0]]`, 'invalid', 'entry [1] of the array has more than 50000'],
  ['values', `{"a":[${'0,'.repeat(50_000)}0]}`, 'too-large', 'up to 50000 values'],
  ['levels', `${'['.repeat(70_000)}`, 'invalid', 'nested too deeply'],
  [
    'levels, in fewer characters than bytes',
    `{"a":"${'ü'.repeat(50_000)}","b":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    'invalid',
    'nested too deeply',
  ],
  [
    'levels, after a byte order mark',
    `\ufeff${'['.repeat(32_767)}${']'.repeat(32_767)}`,
    'invalid',
    'nested too deeply',
  ],
  // As many as fit into 16 MiB: to parse them would end the process, not only the thread.
  ['objects', `[${'{},'.repeat(5_592_400)}{}]`, 'too-large', 'up to 500000 arrays and objects'],
])('refuses JSON with too many %s', async (_, text, code, words) => {
  await expect(parser.json(bytes(text))).rejects.toEqual(refused(code, words));
});

it('refuses a list with too many objects', async () => {
  const text = `[${'{},'.repeat(5_592_400)}{}]`;
  await expect(parser.list('json', bytes(text))).rejects.toEqual(refused('invalid', 'too many arrays and objects'));
});

it('reads brackets within texts as any other characters', async () => {
  const value = [`${'[{"\\'.repeat(200_000)}`];
  expect(await parser.json(bytes(JSON.stringify(value)))).toEqual(value);
});

it('reports errors in a large body as in a small one', async () => {
  const long = ' '.repeat(70_000);
  await expect(parser.json(bytes(`${long}{`))).rejects.toEqual(refused('invalid', 'not JSON'));
  await expect(parser.list('opml', `<opml>${long}`)).rejects.toEqual(refused('invalid', 'cut off'));
  await expect(parser.list('txt', Buffer.from(`${long}\xe9`, 'latin1'))).rejects.toEqual(
    refused('invalid', 'not UTF-8'),
  );
  expect(await parser.json(bytes(long))).toBeUndefined();
});

it('returns each URL of a list once, and up to 20,000', async () => {
  expect(await parser.list('opml', opml(outlines(5000) + outlines(5000)))).toHaveLength(5000);
  expect(await parser.podcasts(opml(outlines(5000) + outlines(5000)))).toHaveLength(5000);
  expect(await parser.list('txt', bytes('a\n'.repeat(5_000_000)))).toEqual(['a']);
  const tooMany = refused('too-large', 'up to 20000 feeds');
  await expect(parser.list('opml', opml(outlines(20_001)))).rejects.toEqual(tooMany);
  await expect(parser.podcasts(opml(outlines(20_001)))).rejects.toEqual(tooMany);
});

it.each([
  ['time', { time: 0.001, megabytes: 256 }, opml(outlines(5000))],
  ['memory', { time: 600, megabytes: 16 }, opml(`<outline a="${'&amp;'.repeat(1_000_000)}"/>`)],
])('aborts a body that takes too much %s', async (_, limits, text) => {
  const strict = createBodyParser(limits);
  await expect(strict.list('opml', text)).rejects.toEqual(refused('too-large', 'takes too long'));
  await strict.close();
});

it('asks to send a body again that was being parsed, or waiting, when the parser was closed', async () => {
  const closing = createBodyParser();
  const parsing = Promise.allSettled([1, 2].map(() => closing.list('opml', opml(outlines(5000).repeat(20)))));
  await setImmediate();
  await closing.close();
  const again = expect.objectContaining({ code: 'busy', retryAfter: 10 });
  expect((await parsing).map((each) => each.status === 'rejected' && each.reason)).toEqual([again, again]);
});

it.each<[string, (text: string) => Promise<unknown[]>]>([
  ['a text list', (url) => parser.list('txt', bytes(`${url}${'\n'.repeat(60_000)}`))],
  ['OPML', (url) => parser.list('opml', bytes(opml(`<outline xmlUrl="${url}"/>${' '.repeat(60_000)}`)))],
  ['OPML with titles', (url) => parser.podcasts(opml(`<outline xmlUrl="${url}" text="T"/>${' '.repeat(60_000)}`))],
])('the feeds of %s take no memory for the rest of it', async (_, read) => {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const lists: unknown[][] = [];
  for (let feed = 0; feed < 200; feed++) lists.push(await read(`http://example.org/feeds/${feed}.xml`));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  expect(lists).toHaveLength(200);
});
