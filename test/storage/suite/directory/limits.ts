import assert from 'node:assert/strict';
import type { UserId } from '../../../../src/domain/types.ts';
import type { Storage } from '../../../../src/storage/stores.ts';
import type { Bench, Suite } from '../bench.ts';
import { action, actions, add, addUser, feed, feeds, numbersOf, remove } from '../samples.ts';
import { episode, episodeNumbers, episodes, recordFeed } from './samples.ts';

const DAY = 86_400;

/** Numbers of the feeds in the directory. */
const known = async ({ podcasts }: Storage): Promise<number[]> => numbersOf(await podcasts.feeds());

/** Alice subscribes to feed 1, the feed is fetched, and she unsubscribes. */
async function leave({ storage }: Bench): Promise<UserId> {
  const alice = await addUser(storage);
  await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
  await recordFeed(storage, 1, { tags: ['News'] }, episodes(3));
  await storage.subscriptions.apply(alice, 'phone', remove(feed(1)));
  return alice;
}

/** Runs the daily maintenance for a number of days. */
async function pass({ clock }: Bench, { podcasts }: Storage, days: number): Promise<void> {
  for (let day = 0; day <= days; day += 1) {
    await podcasts.removeUnused();
    if (day < days) clock.at += DAY;
  }
}

export const boundedTests: Suite = ({ describe, test }) => {
  describe('a podcast without subscribers', () => {
    test('is removed after 30 days, with all its data', async (bench) => {
      await leave(bench);
      await pass(bench, bench.storage, 29);
      const storage = await bench.reopen();
      assert.deepEqual(await known(storage), [1]);
      await pass(bench, storage, 1);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await open.podcasts.find([feed(1)]), [undefined]);
        assert.deepEqual(await open.podcasts.search('podcast', 9), []);
        assert.deepEqual(await open.podcasts.topTags(9), []);
        assert.deepEqual(await episodeNumbers(open), []);
      }
    });

    test('is not found by its words once another podcast takes its place in the index', async (bench) => {
      const { podcasts, subscriptions } = bench.storage;
      const bob = await addUser(bench.storage, 'bob');
      await subscriptions.apply(bob, 'phone', add(feed(2)));
      await recordFeed(bench.storage, 2, { title: 'Gardens' });
      assert.deepEqual(numbersOf(await podcasts.search('gardens', 9)), [2]); // from now on, changes are indexed
      await subscriptions.apply(bob, 'phone', remove(feed(2)));
      await pass(bench, bench.storage, 30);
      await subscriptions.apply(bob, 'phone', add(feed(3)));
      await recordFeed(bench.storage, 3, { title: 'Trains' });
      assert.deepEqual(await podcasts.search('gardens', 9), []);
      assert.deepEqual(numbersOf(await podcasts.search('trains', 9)), [3]);
    });

    test('is new again if a user subscribes after its removal', async (bench) => {
      const alice = await leave(bench);
      await pass(bench, bench.storage, 30);
      await bench.storage.subscriptions.apply(alice, 'phone', add(feed(2), feed(1)));
      for await (const open of bench.nowAndReopened()) {
        const [found] = await open.podcasts.find([feed(1)]);
        assert.deepEqual([found?.title, found?.subscribers], ['', 1]);
        assert.deepEqual(numbersOf(await open.podcasts.top(9)), [1, 2]);
        assert.deepEqual(await open.podcasts.recommendations(alice, 9), []);
      }
      await recordFeed(bench.storage, 1, {}, [episode(9)]).catch(() => undefined);
    });

    test('is removed with its former URL', async (bench) => {
      const { storage } = bench;
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed('old'), feed('new')));
      await recordFeed(storage, 'old', {}, episodes(2), { movedTo: feed('new') });
      await storage.subscriptions.replace(alice, 'phone', [feed('old')]);
      await pass(bench, storage, 31);
      assert.equal(
        (await storage.podcasts.find([feed('new')]))[0]?.subscribers,
        1,
        'it has a subscriber at its old URL',
      );
      await storage.subscriptions.replace(alice, 'phone', []);
      await pass(bench, storage, 31);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await open.podcasts.find([feed('old'), feed('new')]), [undefined, undefined]);
      }
    });

    test('is kept if it had a subscriber meanwhile', async (bench) => {
      const alice = await leave(bench);
      await pass(bench, bench.storage, 20);
      await bench.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await bench.storage.subscriptions.apply(alice, 'phone', remove(feed(1)));
      await pass(bench, bench.storage, 20);
      assert.deepEqual(await known(bench.storage), [1]);
      await pass(bench, bench.storage, 20);
      assert.deepEqual(await known(bench.storage), []);
    });

    const NEEDS: [string, (storage: Storage, user: UserId) => Promise<unknown>][] = [
      ['acted on an episode of it', ({ actions: store }, user) => store.append(user, [action(1)])],
      ['has it in a list', ({ lists }, user) => lists.create(user, { name: 'mine', title: 'Mine', urls: [feed(1)] })],
      [
        'has a setting of it',
        ({ settings }, user) =>
          settings.update(user, { kind: 'podcast', podcast: feed(1) }, { set: { a: 1 }, remove: [], limit: 9 }),
      ],
      [
        'has a setting of an episode of it',
        ({ settings }, user) => {
          const scope = { kind: 'episode', podcast: feed(1), episode: episode(1).url } as const;
          return settings.update(user, scope, { set: { is_favorite: true }, remove: [], limit: 9 });
        },
      ],
    ];
    for (const [what, need] of NEEDS) {
      test(`is kept while an account ${what}`, async (bench) => {
        const alice = await leave(bench);
        await need(bench.storage, alice);
        await pass(bench, bench.storage, 40);
        const storage = await bench.reopen();
        assert.deepEqual(await episodeNumbers(storage), [3, 2, 1]);
        await storage.users.delete(alice);
        await pass(bench, storage, 31);
        assert.deepEqual(await known(storage), []);
      });
    }
  });

  describe('the feeds that accounts add to the directory', () => {
    test('do not include feeds with episode actions only', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.actions.append(
        alice,
        actions(100).map((each, n) => ({ ...each, podcast: feed(n) })),
      );
      for await (const open of nowAndReopened()) assert.deepEqual(await known(open), []);
    });

    test('are at most 2,000 new feeds per day, and all in the end', async (bench) => {
      const { storage, clock } = bench;
      const alice = await addUser(storage);
      clock.at -= clock.at % DAY;
      const inOrder = feeds(4500, 10_000);
      await storage.subscriptions.apply(alice, 'phone', add(...inOrder.slice(0, 1500)));
      await storage.subscriptions.replace(alice, 'phone', inOrder);
      assert.deepEqual(await storage.subscriptions.current(alice, 'phone'), inOrder, 'the upload is stored');
      assert.equal((await known(storage)).length, 2000);
      const open = await bench.reopen();
      await open.podcasts.addPendingFeeds();
      assert.equal((await known(open)).length, 2000, 'it is the same day');
      for (const count of [4000, 4500]) {
        clock.at += DAY;
        await open.podcasts.addPendingFeeds();
        assert.equal((await known(open)).length, count);
      }
      for await (const { podcasts } of bench.nowAndReopened()) {
        const found = await podcasts.find(inOrder);
        assert.ok(found.every((podcast) => podcast?.subscribers === 1));
      }
    });

    test('count all who subscribed while they were pending', async (bench) => {
      const { storage } = bench;
      const [alice, bob, eve] = [await addUser(storage), await addUser(storage, 'bob'), await addUser(storage, 'eve')];
      await storage.subscriptions.apply(alice, 'phone', add(...feeds(2000, 10_000)));
      await storage.subscriptions.apply(alice, 'phone', add(feed(1), feed(2), feed(3)));
      await storage.subscriptions.apply(alice, 'phone', remove(feed(2)));
      assert.deepEqual(await storage.podcasts.find([feed(1), feed(2)]), [undefined, undefined]);
      const open = await bench.reopen();
      await open.podcasts.recommendations(alice, 9);
      await open.subscriptions.apply(bob, 'phone', add(...feeds(3)));
      await open.subscriptions.apply(eve, 'phone', add(feed(2)));
      for await (const { podcasts } of bench.nowAndReopened()) {
        const counts = (await podcasts.find(feeds(3))).map((podcast) => podcast?.subscribers);
        assert.deepEqual(counts, [2, 2, 2]);
        assert.ok(!numbersOf(await podcasts.recommendations(alice, 9)).some((number) => number === 1 || number === 3));
      }
    });
  });
};
