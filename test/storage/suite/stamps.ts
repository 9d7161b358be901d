import assert from 'node:assert/strict';
import type { Suite } from './bench.ts';
import { CHANNELS, type Channel, openActions, openSubscriptions } from './channels.ts';
import { add, addUser, feed, feeds, remove } from './samples.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Every way to get a mark; `n` was not uploaded before. */
const MARKS: readonly (readonly [string, (channel: Channel, n: number) => Promise<number>])[] = [
  ['a read', async (channel) => (await channel.pull(0)).mark],
  ['a read that finds nothing', async (channel) => (await channel.pull(Number.MAX_SAFE_INTEGER)).mark],
  ['an upload', (channel, n) => channel.push(n)],
  ['an upload that changes nothing', (channel) => channel.push(1)],
];

export const stampTests: Suite = ({ describe, test }) => {
  for (const [kind, openChannel] of CHANNELS) {
    describe(`of ${kind}`, () => {
      for (const [what, takeMark] of MARKS) {
        test(`${what} returns a mark that finds later changes, and nothing older`, async ({ storage, clock }) => {
          const channel = openChannel(storage, await addUser(storage), 'phone');
          await channel.push(1, 2);
          let n = 2;
          for (const [elapsed, setBack] of [
            [0, 0],
            [3 * DAY, 0],
            [0, 0],
            [1, 0],
            [0, HOUR],
          ] as const) {
            clock.at += elapsed;
            await channel.push((n += 1));
            const mark = await takeMark(channel, (n += 1));
            clock.at -= setBack;
            assert.deepEqual((await channel.pull(mark)).numbers, []);
            const next = [(n += 1), (n += 1)];
            await channel.push(...next);
            assert.deepEqual((await channel.pull(mark)).numbers, next);
            assert.deepEqual((await channel.pull(mark + 1)).numbers, next, 'for a client that adds one to its mark');
          }
        });

        test(`${what} returns such a mark after idle days, too`, async ({ storage, clock }) => {
          const channel = openChannel(storage, await addUser(storage), 'phone');
          await channel.push(1);
          clock.at += 3 * DAY;
          const mark = await takeMark(channel, 2);
          await channel.push(3);
          assert.deepEqual((await channel.pull(mark)).numbers, [3]);
          assert.deepEqual((await channel.pull(mark + 1)).numbers, [3], 'for a client that adds one to its mark');
        });
      }

      test('`since` is inclusive and exact', async ({ storage }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        const marks = [await channel.push(1), await channel.push(2, 3), await channel.push(4)] as const;
        // The mark of an upload is its stamp plus one.
        for (const [since, expected] of [
          [0, [1, 2, 3, 4]],
          [1, [1, 2, 3, 4]],
          [marks[0] - 1, [1, 2, 3, 4]],
          [marks[0], [2, 3, 4]],
          [marks[1] - 1, [2, 3, 4]],
          [marks[1], [4]],
          [marks[2] - 1, [4]],
          [marks[2], []],
          [marks[2] + 1, []],
          [Number.MAX_SAFE_INTEGER, []],
        ] as const) {
          assert.deepEqual((await channel.pull(since)).numbers, expected, `since ${since} of ${marks}`);
        }
      });

      test('rise within one second and when the clock goes back', async ({ storage, clock }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        let last = 0;
        for (let n = 1; n <= 40; n += 1) {
          if (n === 20) clock.at -= HOUR;
          const read = (await channel.pull(0)).mark;
          const written = await channel.push(n);
          assert.ok(last <= read, `a read after ${last} answered ${read}`);
          assert.ok(read + 1 < written, `an upload after a mark of ${read} answered ${written}`);
          last = written;
        }
      });

      test('stay close to the clock', async ({ storage, clock }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        await channel.push(1);
        for (let day = 2; day < 5; day += 1) {
          clock.at += DAY;
          assert.equal(await channel.push(day), clock.at + 2, 'the stamp is the time and one, the mark one more');
          assert.equal((await channel.pull(0)).mark, clock.at + 2);
          assert.equal(await channel.push(1), clock.at + 2, 'an upload that changes nothing takes no stamp');
        }
      });

      test('give the same mark while nothing changes, whatever the clock says', async ({ storage, clock }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        const mark = await channel.push(1);
        for (const elapsed of [0, 1, 3 * DAY, -4 * DAY]) {
          clock.at += elapsed;
          for (const since of [0, mark - 1, mark, mark + 1]) assert.equal((await channel.pull(since)).mark, mark);
        }
      });

      test('start at the time when the account was created', async ({ storage, clock }) => {
        const created = clock.at;
        const channel = openChannel(storage, await addUser(storage), 'phone');
        clock.at += DAY;
        assert.equal((await channel.pull(0)).mark, created + 1);
      });

      test('are separate for each user', async ({ storage, clock }) => {
        const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
        const [hers, his] = [openChannel(storage, alice, 'phone'), openChannel(storage, bob, 'phone')];
        const mark = (await his.pull(0)).mark;
        clock.at += DAY;
        for (let n = 1; n <= 20; n += 1) await hers.push(n);
        assert.equal((await his.pull(0)).mark, mark, 'the uploads of alice moved the mark of bob');
        assert.equal(await his.push(1), clock.at + 2);
        assert.deepEqual((await his.pull(0)).numbers, [1]);
      });
    });
  }

  test('are shared by subscriptions and episode actions', async ({ storage }) => {
    const alice = await addUser(storage);
    const [feeds, episodes] = [openSubscriptions(storage, alice, 'phone'), openActions(storage, alice, 'phone')];
    for (let n = 1; n < 10; n += 2) {
      const first = await episodes.push(n);
      const second = await feeds.push(n);
      assert.ok(first + 1 < second, `subscriptions answered ${second} after episode actions answered ${first}`);
      assert.equal((await episodes.pull(0)).mark, second);
      assert.deepEqual((await feeds.pull(first)).numbers, [n]);
      const third = await episodes.push(n + 1);
      assert.ok(second + 1 < third, `episode actions answered ${third} after subscriptions answered ${second}`);
      assert.equal((await feeds.pull(0)).mark, third);
      assert.deepEqual((await episodes.pull(second)).numbers, [n + 1]);
    }
  });

  test('a later change is above the stable time of the account', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    const channel = openActions(storage, alice, 'phone');
    for (const [n, elapsed] of [0, 0, DAY, 1, 0].entries()) {
      clock.at += elapsed;
      const stableUntil = await storage.users.stableUntil(alice);
      assert.ok(stableUntil <= clock.at && stableUntil > clock.at - 60, `${stableUntil} at ${clock.at}`);
      await channel.push(n);
      assert.ok((await channel.pull(stableUntil + 1)).numbers.includes(n), `after ${elapsed} s`);
    }
  });

  test('continue after reopening, whatever the clock says', async ({ storage, clock, reopen }) => {
    const alice = await addUser(storage);
    let mark = 0;
    for (let n = 1; n <= 20; n += 1) mark = await openActions(storage, alice, 'phone').push(n);
    clock.at -= HOUR;
    const reopened = openActions(await reopen(), alice, 'phone');
    assert.equal((await reopened.pull(0)).mark, mark);
    await reopened.push(21);
    assert.deepEqual((await reopened.pull(mark + 1)).numbers, [21]);
  });

  test('continue after reopening if the last change was a removal', async ({ storage, reopen }) => {
    const alice = await addUser(storage);
    const urls = feeds(5);
    for (const url of urls) await storage.subscriptions.apply(alice, 'phone', add(url));
    const mark = await storage.subscriptions.apply(alice, 'phone', remove(...urls));
    const { subscriptions } = await reopen();
    await subscriptions.apply(alice, 'phone', add(feed(9)));
    assert.deepEqual((await subscriptions.since(alice, 'phone', mark)).items, add(feed(9)));
  });
};
