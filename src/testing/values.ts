import assert from 'node:assert/strict';
import { MAX_KEY_BYTES, MAX_VALUE_BYTES } from '../plugin.ts';
import { commit, keys, listAll, parse, read, readAll, type Suite } from './fixture.ts';

/** Keys that are easily confused with others, or have a meaning in file systems, globs or JavaScript. */
const DIFFICULT = [
  'p',
  'p ',
  ' p',
  'p/',
  '/p',
  'p//',
  'p/../p',
  'p/./p',
  '.',
  '..',
  '*',
  '__proto__',
  'constructor',
  'constructor/name',
];

const PRINTABLE = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n)).join('');

/** All code points of a range, including lone surrogates and control characters. */
const codePoints = (from: number, until: number): string =>
  Array.from({ length: until - from }, (_, n) => String.fromCodePoint(from + n)).join('');

const SAMPLES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  1e21,
  -1.5e-9,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'null',
  "it's",
  '{}',
  '\\',
  '"\\"',
  '\\u0000',
  '\0',
  '\u2028\u2029\ufeff\ufffe\uffff',
  '\ud800',
  'half \udfff of a pair',
  '👩‍👩‍👧 e\u0301 é ß İ ﷽ ㋛',
  '$1 ? :a @b %s %',
  '2026-11-25T10:00:00',
  '007',
  { $date: '2026-11-25', 'a.b': 1 },
  "'); DROP TABLE entries; --",
  [],
  {},
  [[], [{}], [[[null]]]],
  JSON.parse('{ "__proto__": { "a": 1 }, "constructor": 2 }'),
  {
    '': 1,
    ' ': 2,
    a: { b: { c: [1, '2', null] } },
    n: null,
    e: [{}],
    o: {},
    l: [],
    'ä"\\\n': '\t\r\n\b\f',
    10: 'number',
    9: 'first',
  },
];

/** A value of the maximum size. */
const largest = (n: number): string => JSON.stringify(String(n % 10).repeat(MAX_VALUE_BYTES - 2));
const small = (n: number): string => JSON.stringify({ n, text: 'x'.repeat(40) });

export const valueTests: Suite = ({ test }) => {
  test('any JSON is returned unchanged', async ({ store, reopen }) => {
    await store.commit({ set: SAMPLES.map((sample, n) => [`v/${n}`, JSON.stringify(sample)]) });
    const names = SAMPLES.map((_, n) => `v/${n}`);
    assert.deepEqual(await readAll(store, names), SAMPLES);
    assert.deepEqual(await readAll(await reopen(), names), SAMPLES);
  });

  test('a string may contain any Unicode', async ({ store }) => {
    const texts = [
      codePoints(0, 0x8000),
      codePoints(0x8000, 0x11000),
      codePoints(0x1f000, 0x20000),
      codePoints(0x10ff00, 0x110000),
    ];
    await store.commit({ set: texts.map((text, n) => [`t/${n}`, JSON.stringify({ [text]: text })]) });
    const listed = (await listAll(store, 't/')).map(parse);
    assert.deepEqual(
      listed,
      texts.map((text) => ({ [text]: text })),
    );
  });

  test('a key may contain any printable ASCII, up to the maximum length', async ({ store: first, reopen }) => {
    const names = [
      PRINTABLE,
      ...[...PRINTABLE].map((char) => `k${char}`),
      ...DIFFICULT,
      PRINTABLE.repeat(11).slice(0, MAX_KEY_BYTES),
    ];
    for (const last of ['x', 'y']) names.push('k'.repeat(MAX_KEY_BYTES - 1) + last);
    const numbers = names.map((_, n) => n);
    await first.commit({ check: names.map((name) => [name, 0]), set: names.map((name, n) => [name, String(n)]) });
    assert.deepEqual(await readAll(first, names), numbers);
    const store = await reopen();
    assert.deepEqual(await readAll(store, names), numbers);
    const [last] = await store.list({ from: names.at(-1)!, until: '~', limit: 1 });
    assert.equal(last?.key, names.at(-1));
    const [next] = await store.list({ from: `${names.at(-1)} `, until: '~', limit: 1 });
    assert.equal(next?.key, 'kl');
    await store.commit({ delete: names.slice(0, -1), set: [[names.at(-1)!, '"last"']] });
    assert.deepEqual(await readAll(store, names), [...Array(names.length - 1).fill(undefined), 'last']);
  });

  test('a value may have the maximum size, in any script', async ({ store, reopen }) => {
    const ascii = JSON.stringify('x'.repeat(MAX_VALUE_BYTES - 2));
    const wide = JSON.stringify('€'.repeat((MAX_VALUE_BYTES - 2) / 3));
    const numbers = JSON.stringify(Array.from({ length: 400_000 }, (_, n) => n + 1_000_000));
    const texts = [ascii, wide, numbers];
    const names = keys('large/', texts.length);
    await store.commit({ set: texts.map((text, n) => [names[n]!, text]) });
    const expected = texts.map((text) => JSON.parse(text));
    assert.deepEqual(await readAll(store, names), expected);
    assert.deepEqual((await listAll(await reopen(), 'large/')).map(parse), expected);
  });

  test('sixteen values of the maximum size fit into one batch, and into one answer', async ({ store }) => {
    const names = keys('large/', 16);
    await store.commit({ set: names.map((name, n) => [name, largest(n)]) });
    for (const entries of [await store.get(names), await listAll(store, 'large/')]) {
      assert.equal(entries.length, names.length);
      assert.ok(entries.every((entry, n) => parse(entry) === JSON.parse(largest(n))));
    }
  });

  test('60,000 keys can be set, checked and deleted in one batch', async ({ store, reopen }) => {
    const many = keys('big/', 60_000);
    const check = many.map((key) => [key, 0] as const);
    const version = await commit(store, { check, set: many.map((key, n) => [key, small(n)]) });
    const wrongAtEnd = many.map((key, n) => [key, n === many.length - 1 ? 0 : version] as const);
    assert.equal(await store.commit({ check: wrongAtEnd, delete: many }), undefined);
    const last = await reopen();
    const listed = await listAll(last, 'big/');
    assert.deepEqual(
      listed.map(({ key }) => key),
      many,
    );
    assert.ok(listed.every((entry, n) => parse(entry).n === n));
    await last.commit({ check: listed.map((entry) => [entry.key, entry.version]), delete: many });
    assert.equal(await read(last, many[7]!), undefined);
    assert.deepEqual(await listAll(last, 'big/'), []);
  });
};
