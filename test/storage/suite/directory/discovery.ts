import assert from 'node:assert/strict';
import type { UserId } from '../../../../src/domain/types.ts';
import type { Storage } from '../../../../src/storage/stores.ts';
import { type Bench, START, type Suite } from '../bench.ts';
import { add, addUser, feed, feeds, numberOf, numbersOf, readPages, remove, subscribe } from '../samples.ts';
import { recordFeed } from './samples.ts';

const DAY = 86_400;

/** The number of each feed in the toplist, and its position a week ago. */
const positions = async ({ podcasts }: Storage): Promise<unknown> =>
  (await podcasts.top(9)).map(({ url, positionLastWeek }) => [numberOf(url), positionLastWeek]);

/** Creates users with these feeds, by number. */
async function populate({ storage }: Bench, lists: readonly (readonly number[])[]): Promise<UserId[]> {
  const users: UserId[] = [];
  for (const [n, list] of lists.entries()) {
    const user = await addUser(storage, `user-${n}`);
    await storage.subscriptions.replace(user, 'phone', list.map(feed));
    users.push(user);
  }
  return users;
}

const top = async ({ podcasts }: Storage, limit = 100): Promise<number[]> => numbersOf(await podcasts.top(limit));

/** The number of tastes in a population, and the feeds of one taste. */
const GROUPS = 10;
const favourites = (group: number): number[] => Array.from({ length: 30 }, (_, i) => 1000 * (group + 1) + i);

/** Some items of a list, starting again at its end. */
const pick = (list: readonly number[], from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => list[(from + i * 7) % list.length]!);

export const discoveryTests: Suite = ({ describe, test }) => {
  describe('the toplist', () => {
    test('is sorted by subscribers, then by URL, without podcasts that have none', async (bench) => {
      const [user] = await populate(bench, [[5, 1, 2, 3], [3, 2, 4], [3]]);
      await bench.storage.subscriptions.apply(user!, 'phone', remove(feed(5)));
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await top(open), [3, 2, 1, 4]);
        assert.deepEqual(await top(open, 2), [3, 2]);
        assert.deepEqual(
          (await open.podcasts.top(2)).map(({ subscribers }) => subscribers),
          [3, 2],
        );
      }
    });

    test('sorts equals by URL in code-point order, like all lists of feeds', async (bench) => {
      const inOrder = ['B', '_', 'b', '～', '🎧'];
      await subscribe(bench.storage, ...inOrder.toReversed());
      for await (const { podcasts, transfer } of bench.nowAndReopened()) {
        const exported = (await readPages(transfer.exportDirectory())).filter((each) => each.kind === 'podcast');
        for (const found of [await podcasts.top(10), await podcasts.feeds(), exported]) {
          assert.deepEqual(
            found.map(({ url }) => url),
            inOrder.map(feed),
          );
        }
      }
    });

    test('follows every change', async (bench) => {
      const [alice, bob] = await populate(bench, [[1], [1, 2]]);
      const { subscriptions, podcasts } = bench.storage;
      assert.deepEqual(await top(bench.storage), [1, 2]);
      await subscriptions.apply(alice!, 'phone', [...remove(feed(1)), ...add(feed(2), feed(3))]);
      assert.deepEqual(await top(bench.storage), [2, 1, 3]);
      await recordFeed(bench.storage, 2, { title: 'Now known' });
      assert.equal((await podcasts.top(1))[0]?.title, 'Now known');
      await bench.storage.users.delete(bob!);
      assert.deepEqual(await top(bench.storage), [2, 3]);
    });

    test('is correct beyond its hundredth place', async (bench) => {
      const [alice, bob] = await populate(bench, [Array.from({ length: 150 }, (_, i) => 1000 + i), [1149]]);
      assert.equal((await top(bench.storage)).length, 100);
      assert.deepEqual(await top(bench.storage, 3), [1149, 1000, 1001]);
      await bench.storage.subscriptions.apply(bob!, 'phone', [...remove(feed(1149)), ...add(feed(1140))]);
      assert.deepEqual(await top(bench.storage, 2), [1140, 1000]);
      await bench.storage.subscriptions.apply(alice!, 'phone', remove(feed(1000)));
      assert.deepEqual((await top(bench.storage)).slice(-2), [1098, 1099]);
      assert.deepEqual((await top(bench.storage, 120)).at(-1), 1119);
      const loved = Array.from({ length: 150 }, (_, i) => 1000 + i);
      for (const user of [alice!, bob!]) await bench.storage.subscriptions.replace(user, 'phone', loved.map(feed));
      assert.equal((await top(bench.storage, 200)).length, 150);
      await bench.storage.subscriptions.apply(bob!, 'phone', add(feed(1)));
      assert.deepEqual((await top(bench.storage, 200)).at(-1), 1);
    });

    test('contains the position of a week ago', async (bench) => {
      const [alice] = await populate(bench, [[1, 2], [2], [3]]);
      const { storage, clock } = bench;
      assert.deepEqual(await storage.podcasts.rebuildToplist(), { podcasts: 3, corrected: 0 });
      await storage.subscriptions.apply(alice!, 'phone', [...remove(feed(1)), ...add(feed(3), feed(4))]);
      await storage.podcasts.rebuildToplist();
      clock.at += 7 * DAY - 1;
      assert.deepEqual(await positions(storage), [
        [2, 0],
        [3, 0],
        [4, 0],
      ]);
      clock.at += 1;
      await storage.podcasts.rebuildToplist();
      const aWeekLater = [
        [2, 1],
        [3, 3],
        [4, 0],
      ];
      for await (const open of bench.nowAndReopened()) assert.deepEqual(await positions(open), aWeekLater);
    });

    test('contains the position of a week ago after a clock that was years ahead is corrected', async (bench) => {
      await populate(bench, [[1]]);
      bench.clock.at += 10 * 365 * DAY;
      await bench.storage.podcasts.rebuildToplist();
      bench.clock.at = START;
      const storage = await bench.reopen();
      for (let day = 0; day <= 7; day += 1) {
        await storage.podcasts.rebuildToplist();
        bench.clock.at += DAY;
      }
      assert.deepEqual(await positions(storage), [[1, 1]]);
    });

    for (const [what, lists, target, expected] of [
      ['the better position of a week ago for two feeds that are one since', [[1, 2], [1]], 2, [[2, 1]]],
      [
        'the position of a week ago for a feed that has moved since',
        [[1, 2], [2]],
        3,
        [
          [2, 1],
          [3, 2],
        ],
      ],
    ] as const) {
      test(`contains ${what}`, async (bench) => {
        await populate(bench, lists);
        await bench.storage.podcasts.rebuildToplist();
        await recordFeed(bench.storage, 1, {}, [], { movedTo: feed(target) });
        bench.clock.at += 7 * DAY;
        for await (const open of bench.nowAndReopened()) assert.deepEqual(await positions(open), expected);
      });
    }

    test('stores its first snapshot as soon as there are podcasts', async (bench) => {
      const { podcasts } = bench.storage;
      await podcasts.rebuildToplist();
      await populate(bench, [[1]]);
      bench.clock.at += 3600;
      await podcasts.rebuildToplist();
      bench.clock.at += 7 * DAY;
      assert.equal((await podcasts.top(1))[0]?.positionLastWeek, 1);
    });

    test('is stored each day, whatever the length of its addresses', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      const long = feeds(99).map((url) => `${url}?${'word-'.repeat(1600)}`);
      await storage.subscriptions.apply(alice, 'phone', add(...long, feed(100)));
      for (let day = 0; day < 9; day += 1) {
        await storage.podcasts.rebuildToplist();
        clock.at += DAY;
      }
      const top = await storage.podcasts.top(100);
      assert.equal(top.length, 100);
      assert.ok(top.find(({ url }) => url === feed(100))!.positionLastWeek > 0);
    });

    test('is stored each day, although it is rebuilt a bit earlier than the day before', async (bench) => {
      const [alice] = await populate(bench, [[1], [2]]);
      const { storage, clock } = bench;
      await storage.podcasts.rebuildToplist();
      await storage.subscriptions.replace(alice!, 'phone', [feed(2)]);
      clock.at += DAY - 60;
      await storage.podcasts.rebuildToplist();
      clock.at += 7 * DAY;
      assert.deepEqual(await positions(storage), [[2, 1]]);
    });

    test('stores a hundred positions, and counts all podcasts', async (bench) => {
      await populate(bench, [Array.from({ length: 120 }, (_, i) => 1000 + i)]);
      assert.deepEqual(await bench.storage.podcasts.rebuildToplist(), { podcasts: 120, corrected: 0 });
      bench.clock.at += 7 * DAY;
      for await (const { podcasts } of bench.nowAndReopened()) {
        const positions = (await podcasts.top(120)).map(({ positionLastWeek }) => positionLastWeek);
        assert.deepEqual(
          positions,
          Array.from({ length: 120 }, (_, i) => (i < 100 ? i + 1 : 0)),
        );
      }
    });

    test('with daily snapshots, contains the newest position at least a week old', async (bench) => {
      const [alice] = await populate(bench, [[1], [2]]);
      const { storage, clock } = bench;
      const positions: number[][] = [];
      for (let day = 0; day < 30; day += 1) {
        await storage.subscriptions.replace(alice!, 'phone', day === 20 ? [feed(3), feed(2)] : [feed(1)]);
        await storage.podcasts.rebuildToplist();
        positions.push((await storage.podcasts.top(9)).map((each) => each.positionLastWeek));
        clock.at += DAY;
      }
      assert.deepEqual(positions[6], [0, 0]);
      assert.deepEqual(positions[7], [1, 2]);
      assert.deepEqual(positions[20], [2, 0]);
      assert.deepEqual(positions[27], [0, 1]);
      assert.deepEqual(positions[28], [1, 2]);
    });
  });

  describe('tags', () => {
    test('are counted and found in any spelling', async (bench) => {
      await populate(bench, [[1, 2, 3], [3]]);
      await recordFeed(bench.storage, 1, { tags: ['Society & Culture', 'ラジオ', '!!!'] });
      await recordFeed(bench.storage, 2, { tags: ['society culture', 'News', 'news'] });
      await recordFeed(bench.storage, 3, { tags: ['NEWS', 'Gone'] });
      await recordFeed(bench.storage, 3, { tags: ['NEWS'] });
      for await (const { podcasts } of bench.nowAndReopened()) {
        const tags = [
          { tag: 'news', title: 'News', usage: 2 },
          { tag: 'society-culture', title: 'Society & Culture', usage: 2 },
          { tag: 'ラジオ', title: 'ラジオ', usage: 1 },
        ];
        assert.deepEqual(await podcasts.topTags(10), tags);
        assert.deepEqual(await podcasts.topTags(1), tags.slice(0, 1));
        for (const tag of ['news', 'NEWS']) assert.deepEqual(numbersOf(await podcasts.byTag(tag, 10)), [3, 2]);
        for (const tag of ['society-culture', 'Society & culture']) {
          assert.deepEqual(numbersOf(await podcasts.byTag(tag, 10)), [1, 2]);
        }
        assert.deepEqual(numbersOf(await podcasts.byTag('news', 1)), [3]);
        for (const tag of ['gone', 'new', '', '!', '__proto__']) assert.deepEqual(await podcasts.byTag(tag, 10), []);
      }
    });
  });

  describe('recommendations', () => {
    test('are podcasts of users with shared feeds, never those of the user', async (bench) => {
      const [user] = await populate(bench, [[1, 2], [1, 2, 3, 4], [1, 3], [2, 3, 4, 5], [8, 9], [8], [8]]);
      await bench.storage.subscriptions.apply(user!, 'tv', add(feed(5)));
      for await (const { podcasts } of bench.nowAndReopened()) {
        const found = numbersOf(await podcasts.recommendations(user!, 10));
        assert.deepEqual(found, [3, 4, 8, 9]);
        assert.deepEqual(numbersOf(await podcasts.recommendations(user!, 1)), [3]);
      }
    });

    test('do not include podcasts of the user under another URL', async (bench) => {
      const [user] = await populate(bench, [
        [1, 2],
        [1, 3, 4],
      ]);
      await recordFeed(bench.storage, 2, {}, [], { movedTo: feed(3) });
      for await (const { podcasts } of bench.nowAndReopened()) {
        assert.deepEqual(numbersOf(await podcasts.recommendations(user!, 10)), [4]);
      }
    });

    test('count a user once who has two addresses of a podcast', async (bench) => {
      const [user] = await populate(bench, [[1], [1, 3, 4], [1, 5], [1, 5]]);
      await recordFeed(bench.storage, 4, {}, [], { movedTo: feed(3) });
      assert.deepEqual(numbersOf(await bench.storage.podcasts.recommendations(user!, 2)), [5, 3]);
    });

    test('consider the overall popularity', async (bench) => {
      const everybody = Array.from({ length: 30 }, () => [7]);
      const [user] = await populate(bench, [[1], [1, 3, 7], [1, 3, 7], [3], ...everybody]);
      assert.deepEqual(numbersOf(await bench.storage.podcasts.recommendations(user!, 2)), [3, 7]);
    });

    test('are completed by shared tags, then by the toplist', async (bench) => {
      const [user] = await populate(bench, [[1, 2], [3, 4, 5], [5], [6]]);
      await recordFeed(bench.storage, 1, { tags: ['News', 'Science'] });
      await recordFeed(bench.storage, 6, { tags: ['news', 'science'] });
      await recordFeed(bench.storage, 4, { tags: ['NEWS'] });
      for await (const { podcasts } of bench.nowAndReopened()) {
        assert.deepEqual(numbersOf(await podcasts.recommendations(user!, 10)), [6, 4, 5, 3]);
      }
    });

    test('are the toplist for a new user', async (bench) => {
      const [user] = await populate(bench, [[4, 3, 2, 1], [2]]);
      await bench.storage.subscriptions.apply(user!, 'phone', remove(feed(4)));
      const newUser = await addUser(bench.storage, 'new');
      assert.deepEqual(numbersOf(await bench.storage.podcasts.recommendations(newUser, 10)), [2, 1, 3]);
    });

    test('match the taste of the user', async (bench) => {
      // Each of ten tastes has thirty feeds, and twelve users with ten of them; half of each list is common to all.
      const everybody = feeds(20).map(numberOf);
      const lists = Array.from({ length: GROUPS * 12 }, (_, n) => [
        ...pick(favourites(n % GROUPS), Math.floor(n / GROUPS) * 11, 10),
        ...pick(everybody, n, 10),
      ]);
      const users = await populate(
        bench,
        lists.map((list) => [...new Set(list)]),
      );
      for (const n of [0, 37, 119]) {
        const suggested = numbersOf(await bench.storage.podcasts.recommendations(users[n]!, 10));
        const own = suggested.filter((each) => favourites(n % GROUPS).includes(each));
        assert.ok(own.length >= 8, `only ${own.length} of ${suggested} are to the taste of user ${n}`);
        assert.deepEqual(numbersOf(await bench.storage.podcasts.recommendations(users[n]!, 10)), suggested);
      }
    });
  });
};
