import assert from 'node:assert/strict';
import type { Url } from '../../../../src/domain/types.ts';
import type { Storage } from '../../../../src/storage/stores.ts';
import { episodeInfo } from '../../../podcasts.ts';
import type { Suite } from '../bench.ts';
import { episode, episodeNumbers, episodes, findEpisode, recordFeed } from './samples.ts';
import { feed, feeds, numbersOf, subscribe } from '../samples.ts';

export const feedEpisodeTests: Suite = ({ describe, test }) => {
  test('are those of the feed, newest first', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 1);
    const bare = episodeInfo({ url: 'https://podcasts.example/episode/7' });
    await recordFeed(storage, 1, {}, [bare, episode(1), episode(3), episode(2)]);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await episodeNumbers(open), [3, 2, 1, 7]);
      assert.deepEqual(await episodeNumbers(open, 1, 2), [3, 2]);
      assert.deepEqual(await episodeNumbers(open, 9), []);
      const found = await findEpisode(open, feed(1), episode(2).url);
      assert.deepEqual(found, { podcast: feed(1), ...episode(2), stamp: clock.at + 1 });
      const stamp = (await findEpisode(open, feed(1), bare.url))?.stamp;
      assert.deepEqual(await findEpisode(open, feed(1), bare.url), { podcast: feed(1), ...bare, stamp });
      assert.equal(await findEpisode(open, feed(1), episode(4).url), undefined);
      assert.equal(await findEpisode(open, feed(2), episode(1).url), undefined);
      assert.deepEqual(await findEpisode(open, feed(1), episode(2).guid!), found);
      assert.equal(await findEpisode(open, feed(2), episode(2).guid!), undefined);
      const names = [episode(4).url, episode(2).guid!, episode(1).url, episode(2).url];
      const several = await open.podcasts.findEpisodes(feed(1), names);
      assert.deepEqual(
        several.map((each) => each?.title),
        [undefined, 'Episode 2', 'Episode 1', 'Episode 2'],
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

  test('are matched by GUID before URL: a moved one is found by both URLs', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    const { guid: _, ...plain } = episode(2);
    await recordFeed(storage, 1, {}, [plain, episode(1)]);
    const moved = { url: 'https://elsewhere.example/episode/11' };
    await recordFeed(storage, 1, {}, [plain, episode(1, moved), episode(1, moved)]);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await episodeNumbers(open), [2, 11]);
      for (const url of [moved.url, episode(1).url]) {
        assert.equal((await findEpisode(open, feed(1), url))?.url, moved.url);
      }
    }
  });

  test('of a feed that changes all its URLs are found by the latest former ones', async ({ storage }) => {
    await subscribe(storage, 1);
    const urls = (length: number, count: number): Url[] =>
      Array.from({ length: count }, (_, n) => `https://podcasts.example/${n}/${'x'.repeat(length)}`);
    const isFound = async (url: Url): Promise<boolean> => (await findEpisode(storage, feed(1), url)) !== undefined;
    for (const [all, first] of [
      [urls(100, 70), 19], // the latest 50, and the current one
      [urls(2000, 10), 5], // the latest 10,000 characters, and the current one
    ] as const) {
      for (const url of all) await recordFeed(storage, 1, {}, [episode(1, { url })]);
      assert.deepEqual(
        await Promise.all(all.map(isFound)),
        all.map((_, at) => at >= first),
      );
    }
  });

  test('are looked up by URL before GUID, as many GUIDs are URLs', async ({ storage }) => {
    await subscribe(storage, 1);
    await recordFeed(storage, 1, {}, [episode(3)]);
    const moved = episode(3, { url: 'https://elsewhere.example/3' });
    await recordFeed(storage, 1, {}, [
      episode(1, { guid: episode(2).url }),
      episode(2),
      episode(4, { guid: episode(3).url }),
      moved,
    ]);
    for (const n of [2, 3]) {
      assert.equal((await findEpisode(storage, feed(1), episode(n).url))?.title, `Episode ${n}`);
    }
  });

  test('found by URL get the new GUID, and a second one with that GUID is skipped', async ({
    storage,
    nowAndReopened,
  }) => {
    await subscribe(storage, 1);
    const { guid: _, ...plain } = episode(1);
    await recordFeed(storage, 1, {}, [plain]);
    await recordFeed(storage, 1, {}, [episode(1), episode(2, { guid: episode(1).guid! })]);
    for await (const open of nowAndReopened()) assert.deepEqual(await episodeNumbers(open), [1]);
  });

  test('with the former URL of an episode that has a GUID now are new', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    const { guid: _, ...first } = episode(1);
    const { guid: __, ...second } = episode(2);
    await recordFeed(storage, 1, {}, [{ ...first, guid: 'moves' }]);
    await recordFeed(storage, 1, {}, [{ ...second, guid: 'moves' }]);
    await recordFeed(storage, 1, {}, [second]);
    await recordFeed(storage, 1, {}, [episode(2), first]);
    for await (const open of nowAndReopened()) assert.deepEqual(await episodeNumbers(open), [2, 1]);
  });

  test('that take the URL of another one are new, and the other one is kept', async ({
    storage,
    clock,
    nowAndReopened,
  }) => {
    await subscribe(storage, 1, 2);
    const latest = 'https://podcasts.example/latest';
    const { guid: _, ...second } = episode(2, { url: latest });
    const contents = [
      [second, episode(1)],
      [episode(1), episode(2, { url: latest })],
    ];
    for (const n of [1, 2]) await recordFeed(storage, n, {}, [episode(1, { url: latest })]);
    const { stamp } = (await findEpisode(storage, feed(1), latest))!;
    clock.at += 1000;
    for (const _again of [1, 2]) {
      for (const [i, found] of contents.entries()) await recordFeed(storage, i + 1, {}, found);
    }
    for await (const { podcasts } of nowAndReopened()) {
      const { items } = await podcasts.episodesSince(feeds(2), clock.at, 50);
      assert.deepEqual(
        items.map((each) => [each.podcast, each.title]).toSorted(),
        feeds(2).map((url) => [url, 'Episode 2']),
      );
      for (const url of feeds(2)) {
        assert.equal((await findEpisode({ podcasts }, url, latest))?.title, 'Episode 2');
        assert.equal((await findEpisode({ podcasts }, url, episode(1).url))?.title, 'Episode 1');
        assert.equal((await podcasts.episodes(url, 9)).length, 2);
      }
      assert.equal((await findEpisode({ podcasts }, feed(1), episode(1).url))?.stamp, stamp);
    }
  });

  test('with a new GUID at a URL of two episodes update the one found by that URL', async ({
    storage,
    clock,
    nowAndReopened,
  }) => {
    await subscribe(storage, 1);
    const { releasedAt: _, ...first } = episode(1);
    const { releasedAt: __, ...second } = episode(2);
    await recordFeed(storage, 1, {}, [first]);
    clock.at += 1000;
    await recordFeed(storage, 1, {}, [
      { ...second, url: first.url },
      { ...first, url: second.url },
    ]);
    await recordFeed(storage, 1, {}, [first, { ...second, url: first.url }]);
    const found = await findEpisode(storage, feed(1), first.url);
    assert.equal(found?.title, 'Episode 2');
    await recordFeed(storage, 1, {}, [{ ...second, url: first.url, guid: 'another' }]);
    for await (const open of nowAndReopened()) {
      const stored = await open.podcasts.episodes(feed(1), 9);
      assert.deepEqual(
        stored.map(({ guid, stamp }) => [guid, stamp]),
        [
          ['another', found?.stamp],
          [first.guid, clock.at - 1000 + 1],
        ],
      );
    }
  });

  test('of two feeds that are merged are merged, too', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 'old', 'new');
    await recordFeed(storage, 'old', {}, episodes(3));
    await recordFeed(storage, 'new', {}, episodes(2, 3));
    const { stamp } = (await findEpisode(storage, feed('old'), episode(2).url))!;
    await recordFeed(storage, 'old', {}, episodes(2, 4), { movedTo: feed('new') });
    for await (const open of nowAndReopened()) {
      for (const url of ['old', 'new']) assert.deepEqual(await episodeNumbers(open, url), [5, 4, 3, 2, 1]);
      const found = await findEpisode(open, feed('old'), episode(2).url);
      assert.deepEqual(found, { podcast: feed('new'), ...episode(2), stamp });
    }
  });

  for (const order of [
    [1, 2],
    [2, 1],
  ]) {
    test(`of merged feeds stay separate at a URL that two of them had, fetched as ${order}`, async ({
      storage,
      nowAndReopened,
    }) => {
      await subscribe(storage, 1, 2, 3);
      const { guid: _, ...plain } = episode(1);
      for (const n of order) await recordFeed(storage, n, {}, [n === 1 ? plain : episode(2, { url: plain.url })]);
      await recordFeed(storage, 2, {}, [episode(2)]);
      await recordFeed(storage, 2, {}, [episode(2)], { movedTo: feed(1) });
      await recordFeed(storage, 1, {}, [episode(2)], { movedTo: feed(3) });
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await episodeNumbers(open, 3), [2, 1]);
        assert.equal((await findEpisode(open, feed(3), plain.url))?.title, 'Episode 1');
      }
    });
  }

  test('of two merged feeds keep the newer stamp', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 'old', 'new');
    await recordFeed(storage, 'old', {}, [episode(1)]);
    await recordFeed(storage, 'new', {}, [episode(2)]);
    clock.at += 100;
    const since = clock.at;
    await recordFeed(storage, 'old', {}, [episode(2)]);
    await recordFeed(storage, 'new', {}, [episode(1)]);
    await recordFeed(storage, 'old', {}, [], { movedTo: feed('new') });
    for await (const { podcasts } of nowAndReopened()) {
      const { items } = await podcasts.episodesSince([feed('new')], since, 10);
      assert.deepEqual(numbersOf(items).toSorted(), [1, 2]);
    }
  });

  describe('an episode of two merged feeds', () => {
    const OLD = 'https://old.example/1';
    const OLDEST = 'https://old.example/first';
    const bringTogether = async (storage: Storage): Promise<void> => {
      await recordFeed(storage, 'old', {}, [episode(1, { url: OLDEST })]);
      await recordFeed(storage, 'old', {}, [episode(1, { url: OLD })]);
      await recordFeed(storage, 'new', {}, [episode(1)]);
      await recordFeed(storage, 'old', {}, [episode(1)], { movedTo: feed('new') });
    };

    test('is found by its URLs in both feeds', async ({ storage, nowAndReopened }) => {
      await subscribe(storage, 'old', 'new');
      await bringTogether(storage);
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await episodeNumbers(open, 'old'), [1]);
        for (const url of [OLD, OLDEST, episode(1).url]) {
          assert.equal((await findEpisode(open, feed('old'), url))?.url, episode(1).url, url);
        }
      }
    });
  });
};
