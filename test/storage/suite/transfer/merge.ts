import assert from 'node:assert/strict';
import type { DirectoryRecord, Storage } from '../../../../src/storage/stores.ts';
import { START, type Suite } from '../bench.ts';
import { episode, info, recordFeed, state } from '../directory/samples.ts';
import { add, addUser, feed, numberOf, numbersOf } from '../samples.ts';
import { exportDirectory, feedOf, importDirectory, podcast, subscribe } from './samples.ts';

const DAY = 86_400;

const toplist = (at: number): DirectoryRecord => ({ kind: 'toplist', at, urls: [feed(1)] });

const titles = async ({ podcasts }: Storage, ...numbers: number[]): Promise<(string | undefined)[]> =>
  (await podcasts.find(numbers.map(feed))).map((found) => found?.title);

async function* broken(): AsyncGenerator<DirectoryRecord[]> {
  yield podcast(1, START, [2, 1]);
  yield podcast(2, START, [4]);
  throw new Error('the file ends here');
}

export const transferMergeTests: Suite = ({ test }) => {
  test('adds a toplist only if there is none within a day', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 1);
    await storage.podcasts.rebuildToplist();
    clock.at += DAY;
    await importDirectory(storage, [
      toplist(START + DAY),
      toplist(START + 3600),
      toplist(START - 3600),
      toplist(START - DAY),
    ]);
    for await (const open of nowAndReopened()) {
      const kept = (await exportDirectory(open)).flatMap((record) => (record.kind === 'toplist' ? record.at : []));
      assert.deepEqual(kept, [START + DAY, START, START - DAY]);
    }
  });

  test('a subscription to a former URL meanwhile is merged with the podcast', async (bench) => {
    const { storage } = bench;
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    await storage.subscriptions.apply(alice, 'phone', add(feed('new')));
    await Promise.all([
      importDirectory(storage, podcast('new', START, [1], { formerUrls: [feed('old')] })),
      storage.subscriptions.apply(bob, 'phone', add(feed('old'))),
    ]);
    for await (const { podcasts } of bench.nowAndReopened()) {
      for (const found of await podcasts.find([feed('old'), feed('new')])) {
        assert.deepEqual([found?.url, found?.subscribers], [feed('new'), 2]);
      }
      const listed = await podcasts.feeds();
      assert.deepEqual(
        listed.map(({ url }) => url),
        [feed('new')],
      );
    }
  });

  test('a podcast that moved to a URL and was fetched later here leaves nothing there', async (bench) => {
    const { storage } = bench;
    await subscribe(storage, 1);
    await recordFeed(storage, 1, { title: 'Here' });
    await importDirectory(storage, podcast('new', START - 1, [1], { formerUrls: [feed(1)] }));
    for await (const { podcasts } of bench.nowAndReopened()) {
      const found = await podcasts.find([feed(1), feed('new')]);
      assert.deepEqual(
        found.map((each) => each?.title),
        ['Here', undefined],
      );
    }
  });

  test('the later fetch wins', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1, 2, 3, 4);
    for (const n of [1, 2, 3]) await recordFeed(storage, n, { title: 'here' }, [episode(n)]);
    const readAt = state(feed(1)).fetchedAt!;
    const there = { info: { title: 'there' } };
    await importDirectory(storage, [
      ...podcast(1, readAt - 1, [11], there),
      ...podcast(2, readAt, [12], there),
      ...podcast(3, readAt + 1, [13], there),
      ...podcast(4, 1, [14], there),
    ]);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await titles(open, 1, 2, 3, 4), ['here', 'here', 'there', 'there']);
      const found = await Promise.all([1, 2, 3, 4].map((n) => open.podcasts.episodes(feed(n), 9)));
      assert.deepEqual(
        found.map((each) => each.map(({ url }) => numberOf(url))),
        [[1], [2], [13, 3], [14]],
      );
      assert.deepEqual((await open.podcasts.find([feed(3)]))[0]?.subscribers, 1);
    }
  });

  test('of an unfetched feed does not replace one that was fetched here', async ({ storage }) => {
    await subscribe(storage, 1);
    await recordFeed(storage, 1, { title: 'here' });
    const [{ fetchedAt: _, ...unread }] = [feedOf(1)];
    const record = {
      kind: 'podcast',
      url: feed(1),
      info: info({ title: '' }),
      feed: unread,
      formerUrls: [],
    } as const;
    await importDirectory(storage, [{ ...record, formerUrls: [] }]);
    assert.equal((await storage.podcasts.find([feed(1)]))[0]?.title, 'here');
  });

  test('of an unfetched feed replaces one that was never fetched here', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    const { fetchedAt: _, ...unread } = feedOf(1);
    const there = info({ title: 'there' });
    await importDirectory(storage, [{ kind: 'podcast', url: feed(1), info: there, feed: unread, formerUrls: [] }]);
    for await (const open of nowAndReopened()) assert.deepEqual(await titles(open, 1), ['there']);
  });

  test('merges podcasts that are one podcast in the import', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1, 2, 3);
    await storage.users.create({ name: 'bob', passwordHash: 'x' });
    const bob = (await storage.users.find('bob'))!.id;
    await storage.subscriptions.apply(bob, 'tv', add(feed(2)));
    await importDirectory(storage, podcast('new', START + DAY, [1], { formerUrls: [feed(1), feed(2)] }));
    for await (const open of nowAndReopened()) {
      const found = await open.podcasts.find([1, 2, 3, 'new'].map(feed));
      assert.deepEqual(
        found.map((each) => each?.url),
        [feed('new'), feed('new'), feed(3), feed('new')],
      );
      assert.deepEqual(
        found.map((each) => each?.subscribers),
        [2, 2, 1, 2],
      );
      assert.deepEqual(await open.podcasts.rebuildToplist(), { podcasts: 2, corrected: 0 });
    }
  });

  test('merges with a podcast that has other URLs here', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await recordFeed(storage, 1, {}, [], { movedTo: feed(2) });
    await importDirectory(storage, podcast('new', START + DAY, [], { formerUrls: [feed(2)] }));
    for await (const { podcasts } of nowAndReopened()) {
      const found = await podcasts.find([1, 2, 'new'].map(feed));
      assert.deepEqual(
        found.map((each) => each?.url),
        [feed('new'), feed('new'), feed('new')],
      );
      assert.deepEqual(await podcasts.allUrls(feed('new')), new Set([1, 2, 'new'].map(feed)));
    }
  });

  test('does not merge podcasts if one was fetched later here', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1, 2);
    await recordFeed(storage, 1, { title: 'early' }, [], { state: state(feed(1), { fetchedAt: START - DAY }) });
    await recordFeed(storage, 2, { title: 'late' }, [], { state: state(feed(2), { fetchedAt: START + DAY }) });
    await importDirectory(storage, podcast('new', START, [1], { formerUrls: [feed(1), feed(2)] }));
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await titles(open, 1, 2), ['early', 'late']);
      assert.deepEqual(await open.podcasts.find([feed('new')]), [undefined]);
    }
  });

  test('a known tag keeps its title', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1, 2);
    await recordFeed(storage, 1, { tags: ['first Written'] });
    await importDirectory(storage, [
      { kind: 'tag', tag: 'first-written', title: 'FIRST WRITTEN' },
      { kind: 'tag', tag: 'new-one', title: 'New One' },
      ...podcast(2, START, [], { info: { tags: ['new one', 'First written'] } }),
    ]);
    for await (const { podcasts } of nowAndReopened()) {
      assert.deepEqual(await podcasts.topTags(9), [
        { tag: 'first-written', title: 'first Written', usage: 2 },
        { tag: 'new-one', title: 'New One', usage: 1 },
      ]);
    }
  });

  test('stores complete podcasts up to an interruption', async ({ storage, nowAndReopened }) => {
    await assert.rejects(storage.transfer.importDirectory(broken()), /the file ends here/);
    for await (const { podcasts } of nowAndReopened()) {
      assert.deepEqual(numbersOf(await podcasts.episodes(feed(1), 9)), [2, 1]);
      assert.deepEqual(await podcasts.find([feed(2)]), [undefined]);
    }
  });
};
