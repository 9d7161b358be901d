import assert from 'node:assert/strict';
import type { PodcastList } from '../../../src/domain/types.ts';
import type { Suite } from './bench.ts';
import { rejectsWith } from './expectations.ts';
import { addUser, feed, feeds, ODD_TEXTS } from './samples.ts';

const list = (name: string, ...urls: string[]): PodcastList => ({ name, title: `Title of ${name}`, urls });

export const listTests: Suite = ({ describe, test }) => {
  test('are returned unchanged, in the order created', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    const lists = [list('news', feed(2), feed(1)), list('empty'), list('a', feed(1)), list('long', ...feeds(2000))];
    assert.deepEqual(await storage.lists.all(alice), []);
    for (const each of lists) await storage.lists.create(alice, each);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(
        await open.lists.all(alice),
        lists.map(({ name, title }) => ({ name, title })),
      );
      for (const each of lists) assert.deepEqual(await open.lists.find(alice, each.name), each);
      assert.equal(await open.lists.find(alice, 'unknown'), undefined);
    }
  });

  test('belong to one user', async ({ storage }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    await storage.lists.create(alice, list('news', feed(1)));
    assert.deepEqual(await storage.lists.all(bob), []);
    assert.equal(await storage.lists.find(bob, 'news'), undefined);
    assert.equal(await storage.lists.update(bob, 'news', () => ({ urls: [feed(2)] })), false);
    assert.equal(await storage.lists.delete(bob, 'news'), false);
    await storage.lists.create(bob, list('news', feed(2)));
    assert.equal(await storage.lists.delete(bob, 'news'), true);
    assert.deepEqual(await storage.lists.find(alice, 'news'), list('news', feed(1)));
  });

  test('are identified by their exact names', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.lists.create(alice, list('news', feed(1)));
    assert.equal(await storage.lists.find(alice, 'News'), undefined);
    await storage.lists.create(alice, list('News', feed(2)));
    for (const [name, n] of [
      ['news', 1],
      ['News', 2],
    ] as const) {
      assert.deepEqual(await storage.lists.find(alice, name), list(name, feed(n)));
    }
  });

  test('do not change with the objects they were created from', async ({ storage }) => {
    const alice = await addUser(storage);
    const urls = [feed(1)];
    await storage.lists.create(alice, { ...list('created'), urls });
    await storage.lists.create(alice, list('replaced'));
    await storage.lists.update(alice, 'replaced', () => ({ urls }));
    urls.push(feed(2));
    for (const name of ['created', 'replaced']) {
      assert.deepEqual(await storage.lists.find(alice, name), list(name, feed(1)));
    }
  });

  test('may have any text as name and title', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    for (const name of ODD_TEXTS) await storage.lists.create(alice, list(name, feed(name.length)));
    for await (const { lists } of nowAndReopened()) {
      assert.deepEqual(
        (await lists.all(alice)).map(({ name }) => name),
        ODD_TEXTS,
      );
      for (const name of ODD_TEXTS) assert.deepEqual(await lists.find(alice, name), list(name, feed(name.length)));
    }
  });

  describe('creating', () => {
    test('refuses a name that is taken, and does not change that list', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.lists.create(alice, list('news', feed(1)));
      await rejectsWith('conflict', storage.lists.create(alice, { name: 'news', title: 'Other', urls: [feed(2)] }));
      assert.deepEqual(await storage.lists.find(alice, 'news'), list('news', feed(1)));
      assert.equal((await storage.lists.all(alice)).length, 1);
    });

    test('concurrently with one name creates one list', async ({ storage }) => {
      const alice = await addUser(storage);
      const tries = [1, 2, 3, 4, 5].map((n) => storage.lists.create(alice, list('news', feed(n))));
      const results = await Promise.allSettled(tries);
      const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i + 1] : []));
      assert.equal(winners.length, 1);
      for (const [i, attempt] of tries.entries()) if (i + 1 !== winners[0]) await rejectsWith('conflict', attempt);
      assert.deepEqual(await storage.lists.find(alice, 'news'), list('news', feed(winners[0]!)));
    });
  });

  test('keep title and position when their podcasts are replaced', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    for (const name of ['a', 'b', 'c']) await storage.lists.create(alice, list(name, ...feeds(4001)));
    assert.equal(await storage.lists.update(alice, 'b', () => ({ urls: [feed(3), feed(1)] })), true);
    assert.equal(await storage.lists.update(alice, 'a', () => ({ urls: [] })), true);
    assert.equal(await storage.lists.update(alice, 'unknown', () => ({ urls: [feed(1)] })), false);
    for await (const { lists } of nowAndReopened()) {
      assert.deepEqual(
        (await lists.all(alice)).map(({ name }) => name),
        ['a', 'b', 'c'],
      );
      assert.deepEqual(await lists.find(alice, 'a'), list('a'));
      assert.deepEqual(await lists.find(alice, 'b'), list('b', feed(3), feed(1)));
      assert.deepEqual(await lists.find(alice, 'c'), list('c', ...feeds(4001)));
    }
  });

  test('keep name and position with a new title, which a concurrent change of podcasts does not undo', async ({
    storage,
    nowAndReopened,
  }) => {
    const alice = await addUser(storage);
    for (const name of ['a', 'b']) await storage.lists.create(alice, list(name, feed(1)));
    await Promise.all([
      storage.lists.update(alice, 'a', () => ({ title: 'Fresh' })),
      storage.lists.update(alice, 'a', ({ urls }) => ({ urls: [...urls, feed(2)] })),
      storage.lists.update(alice, 'a', ({ urls }) => ({ urls: [...urls, feed(3)] })),
    ]);
    assert.equal(await storage.lists.update(alice, 'unknown', () => ({ title: 'Fresh' })), false);
    for await (const { lists } of nowAndReopened()) {
      const found = await lists.find(alice, 'a');
      assert.deepEqual(
        { ...found, urls: new Set(found?.urls) },
        {
          name: 'a',
          title: 'Fresh',
          urls: new Set(feeds(3)),
        },
      );
      assert.deepEqual(
        (await lists.all(alice)).map(({ title }) => title),
        ['Fresh', 'Title of b'],
      );
    }
  });

  test('do not change if the change function throws', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.lists.create(alice, list('a', feed(1)));
    const refuse = (): never => {
      throw new Error('no');
    };
    await assert.rejects(storage.lists.update(alice, 'a', refuse), /no/);
    assert.deepEqual(await storage.lists.find(alice, 'a'), list('a', feed(1)));
  });

  test('are moved up and down, not beyond the ends, and new ones come last', async ({ storage, nowAndReopened }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    const names = async (lists = storage.lists): Promise<string> =>
      (await lists.all(alice)).map(({ name }) => name).join('');
    for (const name of ['a', 'b', 'c', 'd']) await storage.lists.create(alice, list(name, feed(1)));
    await storage.lists.create(bob, list('a', feed(1)));
    for (const [name, by, order] of [
      ['b', -1, 'bacd'],
      ['a', 2, 'bcda'],
      ['a', 5, 'bcda'],
      ['d', -9, 'dbca'],
      ['d', -1, 'dbca'],
      ['c', 0, 'dbca'],
    ] as const) {
      assert.equal(await storage.lists.move(alice, name, by), true);
      assert.equal(await names(), order, `${name} by ${by}`);
    }
    assert.equal(await storage.lists.move(alice, 'unknown', 1), false);
    await storage.lists.create(alice, list('e', feed(1)));
    for await (const { lists } of nowAndReopened()) {
      assert.equal(await names(lists), 'dbcae');
      assert.deepEqual(await lists.find(alice, 'b'), list('b', feed(1)));
      assert.equal((await lists.all(bob)).length, 1);
    }
  });

  test('are deleted separately, and their name is free again', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    for (const name of ['a', 'b', 'c']) await storage.lists.create(alice, list(name, ...feeds(4001)));
    assert.equal(await storage.lists.delete(alice, 'a'), true);
    assert.equal(await storage.lists.delete(alice, 'a'), false);
    assert.equal(await storage.lists.find(alice, 'a'), undefined);
    await storage.lists.create(alice, list('a', feed(2)));
    for await (const { lists } of nowAndReopened()) {
      assert.deepEqual(
        (await lists.all(alice)).map(({ name }) => name),
        ['b', 'c', 'a'],
      );
      assert.deepEqual(await lists.find(alice, 'a'), list('a', feed(2)));
    }
  });
};
