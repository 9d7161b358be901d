import assert from 'node:assert/strict';
import type { Suite } from './bench.ts';
import { CHANNELS } from './channels.ts';
import { watch } from './expectations.ts';
import { actions, add, addUser, feed, feeds, numberOf, readActions, readNumbers } from './samples.ts';

const UPLOADS = 50;

/** The numbers from 1 to this one. */
const range = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

export const concurrencyTests: Suite = ({ describe, test }) => {
  for (const [kind, openChannel] of CHANNELS) {
    describe(`${UPLOADS} uploads of ${kind} at once`, () => {
      test('get distinct marks, rising in the order stored', async ({ storage }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        const numbers = Array.from({ length: UPLOADS }, (_, i) => i);
        const marks = await Promise.all(numbers.map((n) => channel.push(n)));
        const stored = (await channel.pull(0)).numbers;
        assert.deepEqual(
          stored.toSorted((a, b) => a - b),
          numbers,
        );
        let last = 0;
        for (const [place, n] of stored.entries()) {
          const mark = marks[n]!;
          assert.ok(mark > last + 1, `the mark ${mark} of upload ${place} follows ${last}`);
          assert.deepEqual((await channel.pull(mark - 1)).numbers, stored.slice(place));
          assert.deepEqual((await channel.pull(mark)).numbers, stored.slice(place + 1));
          last = mark;
        }
      });

      for (const [clock, tick] of [
        ['stands still', 0],
        ['moves on', 7],
      ] as const) {
        for (const surplus of [0, 1]) {
          const client = surplus === 0 ? 'its marks' : 'its marks plus one';
          test(`reach a reader that polls by ${client} once each, while the clock ${clock}`, async (bench) => {
            const channel = openChannel(bench.storage, await addUser(bench.storage), 'phone');
            const heard: number[] = [];
            let since = 0;
            const poll = async (): Promise<void> => {
              bench.clock.at += tick; // so that a running upload has read an earlier time
              const { numbers, mark } = await channel.pull(since);
              assert.ok(mark + surplus >= since, `the mark fell from ${since} to ${mark}`);
              heard.push(...numbers);
              since = mark + surplus;
            };
            const numbers = Array.from({ length: UPLOADS }, (_, i) => i);
            // In five rows of ten, so that the reader sees uploads that start, wait and end.
            const rows = [0, 1, 2, 3, 4].map((row) => numbers.filter((n) => n % 5 === row));
            const uploadAll = async (): Promise<void> => {
              for (const row of rows) await Promise.all(row.map((n) => channel.push(n)));
            };
            await watch(uploadAll(), poll);
            await poll();
            assert.deepEqual(
              heard.toSorted((a, b) => a - b),
              numbers,
            );
            assert.deepEqual(heard, (await channel.pull(0)).numbers);
          });
        }
      }

      test('are stored once if they are all the same', async ({ storage }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        await Promise.all(Array.from({ length: UPLOADS }, () => channel.push(3, 1, 2)));
        assert.deepEqual((await channel.pull(0)).numbers, [3, 1, 2]);
      });
    });
  }

  for (const [kind, openChannel] of CHANNELS) {
    describe(`an upload of ${kind}`, () => {
      // An upload that reads the time before it holds the lock would get a stamp below a mark returned meanwhile.
      test('that runs while the clock moves on reaches clients that ask meanwhile', async ({ storage, clock }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        for (let n = 1; n <= 20; n += 1) {
          const upload = channel.push(n);
          clock.at += 1000;
          const before = await channel.pull(0);
          await upload;
          const after = await channel.pull(before.mark);
          assert.deepEqual([...before.numbers, ...after.numbers], range(n));
        }
      });

      // A mark that is read after the items would cover uploads in between.
      test('that starts during a request reaches the client that asked', async ({ storage }) => {
        const channel = openChannel(storage, await addUser(storage), 'phone');
        for (let n = 1; n <= 20; n += 1) {
          const request = channel.pull(0);
          await channel.push(n);
          const before = await request;
          const after = await channel.pull(before.mark);
          assert.deepEqual([...before.numbers, ...after.numbers], range(n));
        }
      });
    });
  }

  test('concurrent uploads from several devices are all stored', async ({ storage }) => {
    const alice = await addUser(storage);
    const devices = ['phone', 'tv', 'car', 'bike'];
    await Promise.all(
      devices.flatMap((device, i) => [
        ...feeds(10, 1 + i * 10).map((url) => storage.subscriptions.apply(alice, device, add(url))),
        storage.actions.append(alice, actions(25, 1 + i * 25, { device })),
      ]),
    );
    for (const [i, device] of devices.entries()) {
      const urls = await storage.subscriptions.current(alice, device);
      assert.deepEqual(new Set(urls), new Set(feeds(10, 1 + i * 10)));
      assert.deepEqual(await readActions(storage, alice, { device }), actions(25, 1 + i * 25, { device }));
    }
    const all = (await storage.subscriptions.current(alice)).map(numberOf);
    assert.deepEqual(new Set(all), new Set(feeds(40).map(numberOf)));
    assert.equal(all.length, 40);
  });

  test('users who write the same feeds concurrently do not conflict', async ({ storage }) => {
    const users = await Promise.all(['alice', 'bob', 'carol'].map((name) => addUser(storage, name)));
    const urls = feeds(20);
    const orders = [urls, urls.toReversed(), [...urls.slice(10), ...urls.slice(0, 10)]];
    const write = async (i: number): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        await storage.subscriptions.apply(users[i]!, 'phone', add(...orders[i]!));
        await storage.actions.append(users[i]!, actions(10, 1 + round * 10, { podcast: feed(1), device: 'phone' }));
        await storage.subscriptions.replace(users[i]!, 'phone', []);
      }
      await storage.subscriptions.replace(users[i]!, 'phone', orders[i]!);
    };
    await Promise.all(users.map((_, i) => write(i)));
    for (const [i, user] of users.entries()) {
      assert.deepEqual(await storage.subscriptions.current(user), orders[i]);
      assert.deepEqual(
        await readNumbers(storage, user),
        Array.from({ length: 50 }, (_, n) => n + 1),
      );
    }
  });
};
