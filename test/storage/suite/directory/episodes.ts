import assert from 'node:assert/strict';
import type { Storage } from '../../../../src/storage/stores.ts';
import { episodeInfo } from '../../../podcasts.ts';
import type { Suite } from '../bench.ts';
import { feed, feeds, numbersOf, subscribe } from '../samples.ts';
import { episode, episodeNumbers, episodes, findEpisode, recordFeed } from './samples.ts';

export const feedEpisodeTests: Suite = ({ test }) => {
  test('are those of the feed, newest first', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 1);
    const bare = episodeInfo({ url: 'https://podcasts.example/episode/7' });
    await recordFeed(storage, 1, {}, [bare, episode(1), episode(3), episode(2)]);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await episodeNumbers(open), [3, 2, 1, 7]);
      assert.deepEqual(await episodeNumbers(open, 1, 2), [3, 2]);
      assert.deepEqual(await episodeNumbers(open, 9), []);
      const { title, releasedAt } = episode(3);
      assert.deepEqual(await open.podcasts.newestOfEach([feed(9), feed(1)]), [undefined, { title, releasedAt }]);
      const found = await findEpisode(open, feed(1), episode(2).url);
      assert.deepEqual(found, { podcast: feed(1), ...episode(2), stamp: clock.at + 1 });
      const stamp = (await findEpisode(open, feed(1), bare.url))?.stamp;
      assert.deepEqual(await findEpisode(open, feed(1), bare.url), { podcast: feed(1), ...bare, stamp });
      assert.equal(await findEpisode(open, feed(1), episode(4).url), undefined);
      assert.equal(await findEpisode(open, feed(2), episode(1).url), undefined);
      assert.deepEqual(await findEpisode(open, feed(1), episode(2).guid!), found);
      assert.equal(await findEpisode(open, feed(2), episode(2).guid!), undefined);
      const several = await open.podcasts.findEpisodes(feed(1), [
        { episode: episode(4).url },
        { episode: episode(2).guid! },
        { episode: episode(1).url },
        { episode: episode(4).url, guid: episode(2).guid },
        { episode: episode(1).url, guid: episode(2).guid },
        { episode: episode(1).url, guid: 'unknown' },
      ]);
      assert.deepEqual(
        several.map((each) => each?.title),
        [undefined, 'Episode 2', 'Episode 1', 'Episode 2', 'Episode 2', 'Episode 1'],
      );
    }
  });

  test('of several feeds are the newest of the most recently updated feeds', async ({
    storage,
    clock,
    nowAndReopened,
  }) => {
    await subscribe(storage, 1, 2, 3, 4);
    for (const [n, found] of [
      [1, [episode(1), episode(9)]],
      [2, [episode(2), episode(8), episode(6)]],
      [3, [episode(7), episode(5)]],
    ] as const) {
      clock.at += 60;
      await recordFeed(storage, n, {}, found);
    }
    const newest = async (open: Storage, urls: readonly string[], limit: number): Promise<number[]> =>
      numbersOf(await open.podcasts.newestEpisodes(urls, limit));
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await newest(open, feeds(9), 10), [9, 8, 7, 6, 5, 2, 1]);
      assert.deepEqual(await newest(open, [feed(2), feed(2), feed(1)], 3), [9, 8, 6]);
      assert.deepEqual(await newest(open, feeds(9), 2), [8, 7]);
      assert.deepEqual(await newest(open, [feed(4), feed(9)], 2), []);
      const [first] = await open.podcasts.newestEpisodes([feed(3)], 1);
      assert.deepEqual(first, await findEpisode(open, feed(3), episode(7).url));
    }
  });

  test('without a date are sorted by when they were first seen, newest first', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    const undated = [1, 2, 3].map((n) => {
      const { releasedAt: _, ...withoutDate } = episode(n);
      return withoutDate;
    });
    await recordFeed(storage, 1, {}, undated.slice(0, 2));
    await recordFeed(storage, 1, {}, undated);
    for await (const open of nowAndReopened()) assert.deepEqual(await episodeNumbers(open), [3, 1, 2]);
  });

  test('that are no longer in the feed are kept, the others are updated', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await recordFeed(storage, 1, {}, episodes(3));
    const stamp = (await findEpisode(storage, feed(1), episode(3).url))!.stamp;
    await recordFeed(storage, 1, {}, [episode(4), episode(3, { title: 'Better' })]);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await episodeNumbers(open), [4, 3, 2, 1]);
      const found = await findEpisode(open, feed(1), episode(3).url);
      assert.deepEqual([found?.title, found?.stamp], ['Better', stamp]);
    }
  });

  test('whose texts have grown are stored, though they no longer fit into one value', async (bench) => {
    await subscribe(bench.storage, 1);
    const all = (description: string) => Array.from({ length: 200 }, (_, n) => episode(n, { description }));
    const long = '€'.repeat(10_000);
    await recordFeed(bench.storage, 1, {}, all(''));
    await recordFeed(bench.storage, 1, {}, all(long));
    for await (const { podcasts } of bench.nowAndReopened()) {
      const stored = await podcasts.episodes(feed(1), 201);
      assert.equal(stored.length, 200);
      assert.ok(stored.every(({ description }) => description === long));
    }
  });

  test('have the duration of the feed, by every name', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    assert.deepEqual([...(await storage.podcasts.durations(feed(1)))], []);
    await recordFeed(storage, 1, {}, [episode(1, { duration: 60 }), episode(2), episode(3, { duration: 90 })]);
    assert.equal((await storage.podcasts.durations(feed(1))).get(episode(1).url), 60);
    const moved = 'https://elsewhere.example/1';
    await recordFeed(storage, 1, {}, [episode(1, { url: moved, duration: 61 })]);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(Object.fromEntries(await open.podcasts.durations(feed(1))), {
        [episode(1).guid!]: 61,
        [episode(1).url]: 61,
        [moved]: 61,
        [episode(3).guid!]: 90,
        [episode(3).url]: 90,
      });
      assert.deepEqual([...(await open.podcasts.durations(feed(2)))], []);
      assert.equal((await findEpisode(open, feed(1), moved))?.duration, 61);
    }
  });

  test('without a release time keep their order, whichever are still in the feed', async ({
    storage,
    nowAndReopened,
  }) => {
    await subscribe(storage, 1);
    for (const numbers of [[1, 2, 3], [3], [3, 2]]) {
      const found = numbers.map((n) => episode(n, { releasedAt: 0 }));
      await recordFeed(storage, 1, {}, found);
      assert.deepEqual(await episodeNumbers(storage), [1, 2, 3]);
    }
    for await (const open of nowAndReopened()) assert.deepEqual(await episodeNumbers(open), [1, 2, 3]);
  });
};
