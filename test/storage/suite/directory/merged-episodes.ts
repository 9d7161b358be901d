import assert from 'node:assert/strict';
import type { Suite } from '../bench.ts';
import { add, addUser, feed, numbersOf, subscribe } from '../samples.ts';
import { episode, episodeNumbers, episodes, findEpisode, info, recordFeed, state } from './samples.ts';

export const mergedEpisodeTests: Suite = ({ test }) => {
  test('are those of both, newest first', async ({ storage, nowAndReopened }) => {
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

  test('stay when a private feed moves to another private address, even without a date', async ({
    storage,
    nowAndReopened,
  }) => {
    const [old, there] = ['a', 'b'].map((each) => feed(`private?token=${each}`));
    const user = await addUser(storage, 'alice');
    await storage.subscriptions.apply(user, 'phone', add(old!));
    const { releasedAt: _, ...undated } = episode(2);
    await storage.podcasts.record(old!, {
      state: state(old!),
      content: { podcast: info(), episodes: [episode(1), undated] },
    });
    await storage.podcasts.record(old!, {
      state: state(old!),
      content: { podcast: info(), episodes: [] },
      movedTo: there!,
    });
    for await (const { podcasts } of nowAndReopened()) {
      assert.deepEqual(numbersOf(await podcasts.episodes(there!, 9)), [1, 2]);
    }
  });

  for (const order of [
    [1, 2],
    [2, 1],
  ]) {
    test(`stay separate at a URL that two of them had, fetched as ${order}`, async ({ storage, nowAndReopened }) => {
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

  test('have the newer stamp of both feeds', async ({ storage, clock, nowAndReopened }) => {
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

  test('in both are one, found by its URLs in both feeds', async ({ storage, nowAndReopened }) => {
    const old = 'https://old.example/1';
    const oldest = 'https://old.example/first';
    await subscribe(storage, 'old', 'new');
    await recordFeed(storage, 'old', {}, [episode(1, { url: oldest })]);
    await recordFeed(storage, 'old', {}, [episode(1, { url: old })]);
    await recordFeed(storage, 'new', {}, [episode(1)]);
    await recordFeed(storage, 'old', {}, [episode(1)], { movedTo: feed('new') });
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await episodeNumbers(open, 'old'), [1]);
      for (const url of [old, oldest, episode(1).url]) {
        assert.equal((await findEpisode(open, feed('old'), url))?.url, episode(1).url, url);
      }
    }
  });
};
