import assert from 'node:assert/strict';
import { all, commit, keys, listAll, parse, read, readAll, type Suite } from './fixture.ts';

export const readingTests: Suite = ({ test }) => {
  test('an empty store has no entries', async ({ store }) => {
    assert.ok(typeof store.isShared === 'boolean', 'isShared must be true or false');
    assert.deepEqual(await store.get(['a', 'b']), [undefined, undefined]);
    assert.deepEqual(await store.get([]), []);
    assert.deepEqual(await store.list({ from: ' ', until: '~', limit: 10 }), []);
  });

  test('an entry has its key, its value and the version of its commit', async ({ store }) => {
    const version = await commit(store, { set: [['a', '{"b":[1,2]}']] });
    const [entry] = await store.get(['a']);
    assert.deepEqual({ ...entry, value: parse(entry) }, { key: 'a', value: { b: [1, 2] }, version });
    assert.deepEqual(await store.list({ from: 'a', until: 'b', limit: 1 }), [entry]);
  });

  test('entries are returned in the order of the keys, even if a key is missing or occurs twice', async ({ store }) => {
    await store.commit({
      set: [
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ],
    });
    assert.deepEqual(await readAll(store, ['c', 'x', 'a', 'c', 'b']), [3, undefined, 1, 3, 2]);
  });

  test('several thousand keys can be read at once', async ({ store }) => {
    const many = keys('k/', 5000);
    await store.commit({ set: many.map((key, n) => [key, String(n)]) });
    const asked = [...many].toReversed().flatMap((key) => [key, `${key}/missing`]);
    const found = await readAll(store, asked);
    assert.deepEqual(
      found,
      asked.map((_, n) => (n % 2 === 0 ? 4999 - n / 2 : undefined)),
    );
  });

  test('concurrent reads each get their own answer', async ({ store }) => {
    const many = keys('k/', 50);
    await store.commit({ set: many.map((key, n) => [key, String(n)]) });
    const results = await all(500, async (n) => {
      const value = await read(store, many[n % 50]!);
      const listed = n % 10 === 0 ? await store.list({ from: many[n % 50]!, until: 'k/~', limit: 1 }) : [];
      return [value, ...listed.map(parse)];
    });
    assert.deepEqual(
      results,
      results.map((_, n) => (n % 10 === 0 ? [n % 50, n % 50] : [n % 50])),
    );
  });

  test('a range includes its start but not its end', async ({ store }) => {
    await store.commit({ set: ['a', 'b', 'b/1', 'b/2', 'c', 'd'].map((key) => [key, 'null']) });
    const list = async (from: string, until: string): Promise<string[]> =>
      (await store.list({ from, until, limit: 10 })).map(({ key }) => key);
    assert.deepEqual(await list('b', 'd'), ['b', 'b/1', 'b/2', 'c']);
    assert.deepEqual(await list('b/', 'b0'), ['b/1', 'b/2']);
    assert.deepEqual(await list('aa', 'b/11'), ['b', 'b/1']);
    assert.deepEqual(await list('b', 'b'), []);
    assert.deepEqual(await list('c', 'b'), []);
    assert.deepEqual(await list('e', '~'), []);
  });

  test('a range is cut at its limit, and can be continued from there', async ({ store }) => {
    const many = keys('k/', 1050);
    await store.commit({ set: [['a', '0'], ['z', '0'], ...many.map((key, n) => [key, String(n)] as const)] });
    const found: string[] = [];
    let from = 'k/';
    for (;;) {
      const page = await store.list({ from, until: 'k0', limit: 100 });
      assert.ok(page.length <= 100, `${page.length} entries where 100 are the limit`);
      found.push(...page.map(({ key }) => key));
      if (page.length < 100) break;
      from = `${page.at(-1)!.key} `;
    }
    assert.deepEqual(found, many);
    const { length } = await store.list({ from: 'k/', until: 'k0', limit: 1050 });
    const message = `list returned ${length} entries; fewer than the limit, 1050, would mean that the range has no more`;
    assert.equal(length, 1050, message);
    const first = await store.list({ from: 'k/', until: 'k0', limit: 1 });
    assert.deepEqual(
      first.map(({ key }) => key),
      [many[0]],
    );
  });

  test('deleted keys do not count towards the limit of a range', async ({ store }) => {
    const many = keys('k/', 200);
    const left = many.filter((_, n) => n > 100 && n % 3 === 0);
    await store.commit({ set: many.map((key) => [key, '0']) });
    await store.commit({ delete: many.filter((key) => !left.includes(key)) });
    const page = await store.list({ from: 'k/', until: 'k0', limit: 20 });
    assert.deepEqual(
      page.map(({ key }) => key),
      left.slice(0, 20),
    );
  });

  test('keys are sorted by code point', async ({ store }) => {
    const printable = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
    const words = ['a', 'a!', 'a-b', 'a b', 'a/b', 'a0', 'a10', 'a9', 'aB', 'a_b', 'ab', 'A', 'Ab', 'AB', 'B', 'é'];
    const ascii = [...new Set([...printable, ...printable.map((char) => `k${char}x`), ...words.slice(0, -1)])];
    await store.commit({ set: ascii.map((key) => [key, '0']) });
    const found = await store.list({ from: ' ', until: '~~', limit: 1000 });
    assert.deepEqual(
      found.map(({ key }) => key),
      ascii.toSorted((a, b) => (a < b ? -1 : 1)),
    );
    assert.deepEqual(
      (await listAll(store, 'A')).map(({ key }) => key),
      ['A', 'AB', 'Ab'],
    );
  });
};
