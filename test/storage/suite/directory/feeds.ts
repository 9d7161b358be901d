import assert from 'node:assert/strict';
import type { FeedState, Storage } from '../../../../src/storage/stores.ts';
import { START, type Suite } from '../bench.ts';
import { watch } from '../expectations.ts';
import { action, add, addUser, feed, feeds, numbersOf, subscribe } from '../samples.ts';
import { episode, episodes, recordFeed, state } from './samples.ts';

/** Numbers of the claimed feeds. */
const due = async ({ podcasts }: Storage, limit = 10): Promise<number[]> =>
  numbersOf(await podcasts.claimDue(limit, 60));

export const feedTests: Suite = ({ describe, test }) => {
  describe('stamps of the directory', () => {
    test('find episodes first seen since a mark, also with mark + 1', async ({ storage, clock, nowAndReopened }) => {
      await subscribe(storage, 1, 2, 3);
      const both = [feed(1), feed(2)];
      const { mark: before } = await storage.podcasts.episodesSince(both, 0, 50);
      await recordFeed(storage, 1, {}, episodes(3));
      await recordFeed(storage, 2, {}, [episode(21)]);
      await recordFeed(storage, 3, {}, [episode(31)]);
      const { items, mark } = await storage.podcasts.episodesSince(both, before + 1, 50);
      assert.deepEqual(
        numbersOf(items).toSorted((a, b) => a - b),
        [1, 2, 3, 21],
      );
      await recordFeed(storage, 2, {}, [episode(22), episode(21, { title: 'Only changed' })]);
      clock.at -= 1000;
      for await (const open of nowAndReopened()) {
        const later = await open.podcasts.episodesSince([...both, feed(9)], mark + 1, 50);
        assert.deepEqual(numbersOf(later.items), [22]);
        assert.deepEqual((await open.podcasts.episodesSince(both, later.mark, 50)).items, []);
      }
    });

    test('stay close to the clock, however many feeds have new episodes', async ({
      storage,
      clock,
      nowAndReopened,
    }) => {
      const numbers = Array.from({ length: 20 }, (_, n) => n);
      await subscribe(storage, ...numbers);
      for (const n of numbers) await recordFeed(storage, n, {}, [episode(n)]);
      clock.at += 10;
      for await (const { podcasts } of nowAndReopened()) {
        const { items, mark } = await podcasts.episodesSince(numbers.map(feed), 0, 9);
        assert.equal(items.length, 20);
        assert.equal(mark, clock.at);
        assert.deepEqual((await podcasts.episodesSince(numbers.map(feed), mark, 9)).items, []);
      }
    });

    test('keep the mark at the current time if no episode is new', async ({ storage, clock, nowAndReopened }) => {
      await subscribe(storage, 1);
      await recordFeed(storage, 1, {}, [episode(1)]);
      clock.at += 1000;
      await recordFeed(storage, 1, {}, [episode(1, { title: 'Only changed' })]);
      for await (const { podcasts } of nowAndReopened()) {
        assert.equal((await podcasts.episodesSince([feed(1)], 0, 9)).mark, clock.at);
      }
    });

    test('return the newest episodes of each podcast', async ({ storage }) => {
      await subscribe(storage, 1, 2);
      await recordFeed(storage, 1, {}, episodes(9));
      await recordFeed(storage, 2, {}, [episode(21)]);
      const { items } = await storage.podcasts.episodesSince([feed(2), feed(1)], 0, 2);
      assert.deepEqual(
        numbersOf(items).toSorted((a, b) => a - b),
        [8, 9, 21],
      );
    });

    test('return the newest of the new episodes of each podcast', async ({ storage }) => {
      await subscribe(storage, 1);
      await recordFeed(storage, 1, {}, [episode(8), episode(9)]);
      const { mark } = await storage.podcasts.episodesSince([feed(1)], 0, 9);
      await recordFeed(storage, 1, {}, [episode(1)]);
      assert.deepEqual(numbersOf((await storage.podcasts.episodesSince([feed(1)], mark, 2)).items), [1]);
    });

    test('return each episode once if a podcast is requested by two URLs', async ({ storage }) => {
      await subscribe(storage, 1);
      await recordFeed(storage, 1, {}, [episode(1)], { movedTo: feed(2) });
      assert.equal((await storage.podcasts.episodesSince([feed(1), feed(2)], 0, 9)).items.length, 1);
    });

    for (const [what, startsWith] of [
      ['running while the clock moves on', 'fetch'],
      ['started during a request', 'request'],
    ] as const) {
      test(`of a fetch that is ${what} reach the client`, async ({ storage, clock }) => {
        await subscribe(storage, 1);
        const get = (since: number) => storage.podcasts.episodesSince([feed(1)], since, 50);
        for (let n = 1; n <= 10; n += 1) {
          const request = startsWith === 'request' && get(0);
          const fetch = recordFeed(storage, 1, {}, [episode(n)]);
          if (!request) clock.at += 1000;
          const before = await (request || get(0));
          await fetch;
          const after = await get(before.mark);
          assert.equal(before.items.length + after.items.length, n);
        }
      });
    }

    test('of an earlier fetch reach a reader that uses mark + 1, while another fetch is running', async (bench) => {
      const { podcasts } = bench.storage;
      await subscribe(bench.storage, 1, 2);
      await recordFeed(bench.storage, 1, {}, [episode(1)]);
      bench.clock.at += 1;
      const fetch = recordFeed(bench.storage, 2, {}, [episode(2)]);
      const { items, mark } = await podcasts.episodesSince(feeds(2), 0, 9);
      await fetch;
      const later = await podcasts.episodesSince(feeds(2), mark + 1, 9);
      assert.deepEqual([numbersOf(items), numbersOf(later.items)], [[1], [2]]);
    });

    test('reach a reader that polls by its marks plus one once each', async ({ storage, clock }) => {
      await subscribe(storage, 1, 2, 3, 4);
      const received: number[] = [];
      let since = 0;
      const poll = async (): Promise<void> => {
        const { items, mark } = await storage.podcasts.episodesSince(feeds(4), since, 50);
        received.push(...numbersOf(items));
        since = mark + 1;
        clock.at += 1;
      };
      const recordAll = async (): Promise<void> => {
        for (let round = 0; round < 5; round += 1) {
          await Promise.all([1, 2, 3, 4].map((n) => recordFeed(storage, n, {}, [episode(n * 100 + round)])));
        }
      };
      await watch(recordAll(), poll);
      await poll();
      const all = [1, 2, 3, 4].flatMap((n) => [0, 1, 2, 3, 4].map((round) => n * 100 + round));
      assert.deepEqual(
        received.toSorted((a, b) => a - b),
        all,
      );
    });
  });

  test('the address of a podcast with the most subscribers is the one with more than any other', async ({
    storage,
  }) => {
    const [old, current] = [feed(1), feed(2)];
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    for (const user of [alice, bob]) await storage.subscriptions.replace(user, 'phone', [old]);
    await recordFeed(storage, 1, {}, [], { movedTo: current });
    for (const [alices, bobs, expected] of [
      [[old], [old], old],
      [[old], [old, current], old],
      [[old], [current], undefined],
      [[current], [old, current], current],
      [[], [], undefined],
    ] as const) {
      await storage.subscriptions.replace(alice, 'phone', [...alices]);
      await storage.subscriptions.replace(bob, 'phone', [...bobs]);
      for (const url of [old, current]) assert.equal(await storage.podcasts.mostSubscribedUrl(url), expected);
    }
    assert.equal(await storage.podcasts.mostSubscribedUrl(feed(3)), undefined);
  });

  describe('due feeds', () => {
    test('have subscribers and are sorted by due time', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(...feeds(5)));
      await storage.actions.append(alice, [action(1, { podcast: feed(6) })]);
      const next: Partial<FeedState>[] = [
        { nextAt: clock.at + 30 },
        { nextAt: clock.at + 20 },
        { nextAt: clock.at + 99 },
      ];
      for (const [i, fields] of next.entries()) {
        await storage.podcasts.record(feed(i + 1), { state: state(feed(i + 1), fields) });
      }
      const { nextAt: _, ...unscheduled } = state(feed(4));
      await storage.podcasts.record(feed(4), { state: unscheduled });
      assert.deepEqual(await due(storage), [5]);
      clock.at += 40;
      assert.deepEqual(await due(storage, 1), [2]);
      assert.deepEqual(await due(storage), [1]);
      await storage.subscriptions.replace(alice, 'phone', []);
      clock.at += 100;
      assert.deepEqual(await due(storage), []);
    });

    test('are counted, beside all feeds with subscribers and those with an error', async ({ storage, clock }) => {
      await subscribe(storage, 1, 2, 3, 4);
      const { nextAt: _, ...gone } = state(feed(3), { error: 'gone' });
      await storage.podcasts.record(feed(2), { state: state(feed(2), { nextAt: clock.at + 10, error: 'broken' }) });
      await storage.podcasts.record(feed(3), { state: gone });
      assert.deepEqual(await storage.podcasts.countFeeds(), { subscribed: 4, due: 2, failing: 2 });
      await due(storage, 1);
      clock.at += 10;
      assert.deepEqual(await storage.podcasts.countFeeds(), { subscribed: 4, due: 3, failing: 2 });
    });

    test('are leased to one caller until recorded, or until the lease expires', async ({ storage, clock }) => {
      await subscribe(storage, 1, 2, 3);
      const claims = await Promise.all([due(storage, 1), due(storage, 1), due(storage, 1), due(storage, 1)]);
      assert.deepEqual(claims.flat().toSorted(), [1, 2, 3]);
      await storage.podcasts.record(feed(2), { state: state(feed(2), { nextAt: clock.at }) });
      assert.deepEqual(await due(storage), [2]);
      clock.at += 60;
      assert.deepEqual(await due(storage), [1, 2, 3]);
    });

    test('are due again if a clock that was years ahead has scheduled or leased them, and is corrected', async (bench) => {
      const { storage, clock, reopen } = bench;
      await subscribe(storage, 1, 2);
      clock.at += 10 * 365 * 86_400;
      await storage.podcasts.record(feed(1), { state: state(feed(1), { nextAt: clock.at + 86_400 }) });
      assert.deepEqual(await due(storage), [2]);
      clock.at = START;
      const reopened = await reopen();
      assert.equal((await reopened.podcasts.countFeeds()).due, 2);
      assert.deepEqual((await due(reopened)).toSorted(), [1, 2]);
    });

    test('are leased up to a limit per host, together with those that are being fetched', async ({ storage }) => {
      const urls = ['a', 'a', 'a', 'b', 'c', 'user:b@b', 'user:c@b'].map((host, n) => `https://${host}.example/${n}`);
      await storage.subscriptions.replace(await addUser(storage), 'phone', urls);
      const claim = async (limit: number, ...active: number[]): Promise<number[]> =>
        numbersOf(await storage.podcasts.claimDue(limit, 60, { perHost: 2, active: active.map((n) => urls[n]!) }));
      assert.deepEqual(await claim(3), [0, 1, 3]);
      assert.deepEqual(await claim(9, 0, 1, 3), [4, 5]);
      assert.deepEqual(await claim(9, 0, 3, 4), [2, 6]);
    });

    test('are listed with all others, however many there are', async ({ storage }) => {
      const inOrder = feeds(1200, 1000);
      await storage.subscriptions.replace(await addUser(storage), 'phone', inOrder);
      const listed = await storage.podcasts.feeds();
      assert.deepEqual(
        listed.map(({ url }) => url),
        inOrder,
      );
    });

    test('are due at once if new, and keep their schedule across a restart', async ({
      storage,
      clock,
      nowAndReopened,
    }) => {
      await subscribe(storage, 1, 2);
      const read2 = state(feed(2), { etag: '"x"', lastModified: 'yesterday', failures: 3, error: 'broken' });
      await storage.podcasts.record(feed(2), { state: read2 });
      for await (const { podcasts } of nowAndReopened()) {
        assert.deepEqual(await podcasts.feed(feed(1)), {
          url: feed(1),
          intervalSeconds: 0,
          failures: 0,
          nextAt: clock.at,
        });
        assert.deepEqual(await podcasts.feed(feed(2)), read2);
        assert.equal(await podcasts.feed(feed(3)), undefined);
        assert.deepEqual(
          (await podcasts.feeds()).map(({ url }) => url),
          feeds(2),
        );
      }
    });
  });
};
