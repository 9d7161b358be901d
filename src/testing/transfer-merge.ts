import assert from 'node:assert/strict';
import type { DirectoryRecord, PodcastInfo, Storage } from '../plugin.ts';
import { START, type Suite } from './bench.ts';
import { episode, episodes, findEpisode, info, read, state } from './readings.ts';
import { add, addUser, feed, numberOf, numbersOf } from './samples.ts';
import { exportDirectory, feedOf, importDirectory, subscribe } from './transfer-samples.ts';

const DAY = 86_400;

/** A podcast that was read at this time; with the episodes numbered so. */
const podcast = (
  n: number | string,
  fetchedAt: number,
  numbers: readonly number[] = [],
  more: { info?: Partial<PodcastInfo>; formerUrls?: string[] } = {},
): DirectoryRecord[] => [
  {
    kind: 'podcast',
    url: feed(n),
    info: info(more.info),
    feed: feedOf(n, { fetchedAt }),
    formerUrls: more.formerUrls ?? [],
  },
  ...numbers.map((number): DirectoryRecord => ({
    kind: 'episode',
    episode: { ...episode(number), stamp: START + number, formerUrls: [] },
  })),
];

const toplist = (at: number): DirectoryRecord => ({ kind: 'toplist', at, urls: [feed(1)] });

const titles = async ({ podcasts }: Storage, ...numbers: number[]): Promise<(string | undefined)[]> =>
  (await podcasts.find(numbers.map(feed))).map((found) => found?.title);

async function* broken(): AsyncGenerator<DirectoryRecord[]> {
  yield podcast(1, START, [2, 1]);
  yield podcast(2, START, [4]);
  throw new Error('the file ends here');
}

export const transferMergeTests: Suite = ({ test }) => {
  test('keeps a toplist only where none was kept within a day', async ({ storage, clock, nowAndReopened }) => {
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

  test('what somebody subscribes to meanwhile under a former URL is one podcast with it', async (bench) => {
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
      const listed: string[] = [];
      for await (const { url } of podcasts.feeds()) listed.push(url);
      assert.deepEqual(listed, [feed('new')]);
    }
  });

  test('what moved to a URL before it was read here later leaves nothing there', async (bench) => {
    const { storage } = bench;
    await subscribe(storage, 1);
    await read(storage, 1, { title: 'Here' });
    await importDirectory(storage, podcast('new', START - 1, [1], { formerUrls: [feed(1)] }));
    for await (const { podcasts } of bench.nowAndReopened()) {
      const found = await podcasts.find([feed(1), feed('new')]);
      assert.deepEqual(
        found.map((each) => each?.title),
        ['Here', undefined],
      );
    }
  });

  test('later episodes get stamps above those that came', async (bench) => {
    const { storage, clock } = bench;
    await subscribe(storage, 1);
    await importDirectory(storage, podcast(2, START, [900, 800]));
    for await (const open of bench.nowAndReopened()) {
      const { items, mark } = await open.podcasts.episodesSince([feed(1), feed(2)], START + 800, 9);
      assert.deepEqual(
        items.map(({ stamp }) => stamp - START),
        [900, 800],
      );
      assert.equal(mark, START + 901);
    }
    const open = await bench.reopen();
    clock.at += 10;
    await read(open, 1, {}, episodes(1));
    const later = await open.podcasts.episodesSince([feed(1), feed(2)], START + 902, 9);
    assert.deepEqual(numbersOf(later.items), [1]);
  });

  test('what was read later wins', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1, 2, 3, 4);
    for (const n of [1, 2, 3]) await read(storage, n, { title: 'here' }, [episode(n)]);
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

  test('of an unread feed gives way to what was read here', async ({ storage }) => {
    await subscribe(storage, 1);
    await read(storage, 1, { title: 'here' });
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

  test('takes an episode that is known as it comes', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await read(storage, 1, {}, [episode(1, { title: 'here' }), episode(2)]);
    await importDirectory(storage, podcast(1, START + DAY, [3, 1]));
    for await (const open of nowAndReopened()) {
      const found = await open.podcasts.episodes(feed(1), 9);
      assert.deepEqual(
        found.map(({ url, title }) => [numberOf(url), title]),
        [3, 2, 1].map((n) => [n, `Episode ${n}`]),
      );
      assert.deepEqual(
        found.filter(({ url }) => numberOf(url) !== 2).map(({ stamp }) => stamp - START),
        [3, 1],
      );
    }
  });

  test('an episode that is known stays as new as it was here', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 1);
    clock.at += 100;
    const since = clock.at;
    await read(storage, 1, {}, [episode(1)]);
    await importDirectory(storage, podcast(1, START + DAY, [2, 1]));
    for await (const { podcasts } of nowAndReopened()) {
      const { items } = await podcasts.episodesSince([feed(1)], since, 10);
      assert.deepEqual(numbersOf(items), [1]);
    }
  });

  test('an episode that is known is still found under the URL that it had here', async ({
    storage,
    nowAndReopened,
  }) => {
    await subscribe(storage, 1);
    const before = 'https://old.example/1';
    await read(storage, 1, {}, [episode(1, { url: before })]);
    await importDirectory(storage, podcast(1, START + DAY, [1]));
    for await (const open of nowAndReopened()) {
      for (const url of [before, episode(1).url]) {
        assert.equal((await findEpisode(open, feed(1), url))?.url, episode(1).url);
      }
    }
  });

  test('an episode is known by its GUID before a URL that went to another', async ({
    storage,
    clock,
    nowAndReopened,
  }) => {
    const latest = 'https://podcasts.example/latest';
    await subscribe(storage, 1);
    clock.at += 100;
    const since = clock.at;
    await read(storage, 1, {}, [episode(1, { url: latest })]);
    await importDirectory(storage, [
      ...podcast(1, START + DAY),
      { kind: 'episode', episode: { ...episode(2, { url: latest }), stamp: START + 20, formerUrls: [] } },
      { kind: 'episode', episode: { ...episode(1), stamp: START + 10, formerUrls: [] } },
    ]);
    for await (const { podcasts } of nowAndReopened()) {
      const { items } = await podcasts.episodesSince([feed(1)], since, 9);
      assert.deepEqual(
        items.map(({ title }) => title),
        ['Episode 1'],
      );
      assert.equal((await findEpisode({ podcasts }, feed(1), latest))?.stamp, START + 20);
    }
  });

  test('an episode is known by a URL that it had there', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await read(storage, 1, {}, [episode(1)]);
    const moved = { ...episode(2), stamp: START, formerUrls: [episode(1).url] };
    await importDirectory(storage, [...podcast(1, START + DAY), { kind: 'episode', episode: moved }]);
    for await (const { podcasts } of nowAndReopened()) {
      const found = await podcasts.episodes(feed(1), 9);
      assert.deepEqual(numbersOf(found), [2]);
      assert.equal((await findEpisode({ podcasts }, feed(1), episode(1).url))?.url, episode(2).url);
    }
  });

  test('makes one podcast of those that it says are one', async ({ storage, nowAndReopened }) => {
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

  test('a URL that two episodes had is that of the one which has it now', async ({ storage, nowAndReopened }) => {
    const moved = { ...episode(2), stamp: START, formerUrls: [episode(1).url, episode(3).url] };
    const [two] = podcast(2, START);
    await importDirectory(storage, [
      ...podcast(1, START, [1]),
      two!,
      { kind: 'episode', episode: moved },
      ...podcast('new', START + DAY, [], { formerUrls: [feed(1), feed(2)] }),
    ]);
    for await (const open of nowAndReopened()) {
      const told = (await exportDirectory(open)).flatMap((record) => (record.kind === 'episode' ? record.episode : []));
      assert.deepEqual(
        told.map(({ url, formerUrls }) => [url, formerUrls]),
        [
          [episode(2).url, [episode(3).url]],
          [episode(1).url, []],
        ],
      );
      assert.equal((await findEpisode(open, feed(1), episode(1).url))?.url, episode(1).url);
    }
  });

  test('a tag that is known keeps its title', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await read(storage, 1, { tags: ['first Written'] });
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

  test('stores what came before it broke off, each podcast whole', async ({ storage, nowAndReopened }) => {
    await assert.rejects(storage.transfer.importDirectory(broken()), /the file ends here/);
    for await (const { podcasts } of nowAndReopened()) {
      assert.deepEqual(numbersOf(await podcasts.episodes(feed(1), 9)), [2, 1]);
      assert.deepEqual(await podcasts.find([feed(2)]), [undefined]);
    }
  });
};
