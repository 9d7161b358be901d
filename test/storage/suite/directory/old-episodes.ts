import assert from 'node:assert/strict';
import type { Suite } from '../bench.ts';
import { action, add, addUser, feed, feeds, numbersOf, subscribe } from '../samples.ts';
import { episode, episodes, episodeNumbers, recordFeed } from './samples.ts';

const ALL = 6000;

export const keptEpisodeTests: Suite = ({ test }) => {
  test('beyond the newest 5,000 are removed, even those with actions', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await recordFeed(storage, 1, {}, episodes(5000));
    await storage.actions.append(alice, [action(5), action(1, { episode: 'guid of 7' })]);
    await recordFeed(storage, 1, {}, episodes(5100));
    for await (const open of nowAndReopened()) {
      const kept = await episodeNumbers(open, 1, ALL);
      assert.equal(kept.length, 5000);
      assert.deepEqual(kept.slice(-2), [102, 101]);
    }
  });

  test('beyond the newest 5,000 by release are removed, in any order of the feed', async (bench) => {
    await subscribe(bench.storage, 1);
    await recordFeed(bench.storage, 1, {}, episodes(5100).toReversed());
    const newest = numbersOf(episodes(5000, 101));
    for await (const open of bench.nowAndReopened()) assert.deepEqual(await episodeNumbers(open, 1, ALL), newest);
  });

  test('beyond the newest 5,000 are never new, however often they are fetched', async ({ storage, clock }) => {
    await subscribe(storage, 1);
    const all = Array.from({ length: 5100 }, (_, i) => episode(i + 1, { releasedAt: 1_600_000_000 }));
    const kept = Array.from({ length: 5000 }, (_, i) => i + 1);
    await recordFeed(storage, 1, {}, all);
    assert.deepEqual(await episodeNumbers(storage, 1, ALL), kept);
    clock.at += 1000;
    await recordFeed(storage, 1, {}, all);
    assert.deepEqual(await episodeNumbers(storage, 1, ALL), kept);
    assert.deepEqual((await storage.podcasts.episodesSince(feeds(1), clock.at, ALL)).items, []);
  });

  for (const found of [[episode(3000)], []]) {
    test(`are the newest 5,000 of two feeds that are merged, with ${found.length} in the last fetch`, async (bench) => {
      const { storage } = bench;
      await subscribe(storage, 'old', 'new');
      await recordFeed(storage, 'old', {}, episodes(3000));
      await recordFeed(storage, 'new', {}, episodes(3000, 3001));
      await recordFeed(storage, 'old', {}, found, { movedTo: feed('new') });
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual((await episodeNumbers(open, 'new', ALL)).slice(4998), [1002, 1001]);
      }
    });
  }
};
