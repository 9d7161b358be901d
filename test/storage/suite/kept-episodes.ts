import assert from 'node:assert/strict';
import type { Suite } from './bench.ts';
import { episode, episodes, episodeNumbers, read } from './readings.ts';
import { action, actions, add, addUser, feed, feeds, numbersOf, subscribe } from './samples.ts';

export const keptEpisodeTests: Suite = ({ test }) => {
  test('beyond the newest 1,000 go, but for those that anyone acted on', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await read(storage, 1, {}, episodes(1000));
    await storage.actions.append(alice, [action(1, { episode: episode(5).url }), action(2, { episode: 'guid of 7' })]);
    await read(storage, 1, {}, episodes(1100));
    for await (const open of nowAndReopened()) {
      const kept = await episodeNumbers(open);
      assert.equal(kept.length, 1002);
      assert.deepEqual(kept.slice(-3), [101, 7, 5]);
    }
  });

  test('beyond the newest 1,000 by release go, in whatever order a feed tells them', async (bench) => {
    await subscribe(bench.storage, 1);
    await read(bench.storage, 1, {}, episodes(1100).toReversed());
    const newest = numbersOf(episodes(1000, 101));
    for await (const open of bench.nowAndReopened()) assert.deepEqual(await episodeNumbers(open), newest);
  });

  test('beyond the newest 1,000 are no news, however often a feed tells them', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await storage.actions.append(alice, [action(1050)]);
    const told = Array.from({ length: 1100 }, (_, i) => episode(i + 1, { releasedAt: 1_600_000_000 }));
    const kept = [...Array.from({ length: 1000 }, (_, i) => i + 1), 1050];
    await read(storage, 1, {}, told);
    assert.deepEqual(await episodeNumbers(storage), kept);
    clock.at += 1000;
    await read(storage, 1, {}, told);
    assert.deepEqual(await episodeNumbers(storage), kept);
    assert.deepEqual((await storage.podcasts.episodesSince(feeds(1), clock.at, 2000)).items, []);
  });

  test('beyond the newest 1,000 go, also where a GUID is odd', async ({ storage, nowAndReopened }) => {
    const odd = episodes(1001).map((each) => ({ ...each, guid: `${each.guid} "\u0000\\` }));
    const alice = await addUser(storage);
    await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await read(storage, 1, {}, odd.slice(1));
    await storage.actions.append(alice, [action(2000, { episode: odd.at(-1)!.guid })]);
    await read(storage, 1, {}, [episode(1002), ...odd.slice(0, 1)]);
    for await (const open of nowAndReopened()) assert.deepEqual((await episodeNumbers(open)).slice(998), [4, 3, 1]);
  });

  for (const told of [[episode(600)], []]) {
    test(`that anyone acted on stay where two feeds turn out to be one that has too many and tells ${told.length}`, async (bench) => {
      const { storage } = bench;
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed('old'), feed('new')));
      await storage.actions.append(alice, [action(5, { podcast: feed('old') })]);
      await read(storage, 'old', {}, episodes(600));
      await read(storage, 'new', {}, episodes(600, 601));
      await read(storage, 'old', {}, told, { movedTo: feed('new') });
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual((await episodeNumbers(open, 'new')).slice(999), [201, 5]);
      }
    });
  }

  test('that anyone acted on stay, however long the history and however often the feed is read', async (bench) => {
    const [alice, bob] = [await addUser(bench.storage), await addUser(bench.storage, 'bob')];
    await bench.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await bench.storage.actions.append(alice, [action(5)]);
    await bench.storage.actions.append(alice, actions(2500, 10_000));
    await bench.storage.actions.append(alice, actions(2500, 20_000, { podcast: feed(2) }));
    await bench.storage.actions.append(alice, [action(6)]);
    await bench.storage.actions.append(bob, [action(7)]);
    const storage = await bench.reopen();
    await read(storage, 1, {}, episodes(1100));
    assert.deepEqual((await episodeNumbers(storage)).slice(999), [101, 7, 6, 5]);
    await storage.actions.append(bob, actions(2500, 30_000));
    await storage.actions.append(bob, [action(103), action(1, { episode: 'guid of 8' })]);
    for (const first of [1101, 1151]) await read(storage, 1, {}, episodes(50, first));
    for await (const open of bench.nowAndReopened()) {
      assert.deepEqual((await episodeNumbers(open)).slice(999), [201, 103, 7, 6, 5]);
    }
  });
};
