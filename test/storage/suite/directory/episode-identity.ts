import assert from 'node:assert/strict';
import type { Url } from '../../../../src/domain/types.ts';
import type { Suite } from '../bench.ts';
import { feed, feeds, subscribe } from '../samples.ts';
import { episode, episodeNumbers, findEpisode, recordFeed } from './samples.ts';

export const episodeIdentityTests: Suite = ({ test }) => {
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
};
