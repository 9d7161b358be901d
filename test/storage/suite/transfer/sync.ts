import assert from 'node:assert/strict';
import type { UserId } from '../../../../src/domain/types.ts';
import type { Storage, UserRecord } from '../../../../src/storage/stores.ts';
import { OVERLAP, type Suite } from '../bench.ts';
import { CHANNELS } from '../channels.ts';
import { action, add, addUser, feed, feeds, remove, session } from '../samples.ts';
import { exportUser, importUser } from './samples.ts';

const HOUR = 3600;

/** Removes the account and imports it from its export. */
async function move(storage: Storage, user: UserId): Promise<UserId> {
  const records = await exportUser(storage, user);
  await storage.users.delete(user);
  return importUser(storage, records);
}

/** Subscriber counts of these feeds. */
const counts = async ({ podcasts }: Storage, ...urls: (number | string)[]): Promise<(number | undefined)[]> =>
  (await podcasts.find(urls.map(feed))).map((podcast) => podcast?.subscribers);

export const transferSyncTests: Suite = ({ describe, test }) => {
  for (const [kind, openChannel] of CHANNELS) {
    describe(`of ${kind}`, () => {
      test('each earlier mark continues without loss or repeat, whatever the clock says', async (bench) => {
        const { storage, clock } = bench;
        const alice = await addUser(storage);
        const before = openChannel(storage, alice, 'phone');
        const marks = [0];
        for (let n = 1; n <= 5; n += 1) marks.push(await before.push(n));
        clock.at -= HOUR;
        const imported = await move(storage, alice);
        for await (const open of bench.nowAndReopened()) {
          const { pull } = openChannel(open, imported, 'phone');
          for (const [n, mark] of marks.entries()) {
            assert.deepEqual((await pull(mark)).numbers, [1, 2, 3, 4, 5].slice(n));
            assert.equal((await pull(mark)).mark, marks[5]);
          }
        }
        const after = openChannel(await bench.reopen(), imported, 'phone');
        await after.push(6);
        assert.deepEqual((await after.pull(marks[5]!)).numbers, [6]);
        assert.deepEqual((await after.pull(marks[5]! + 1)).numbers, [6], 'for a client that adds one to its mark');
      });

      test('a mark of idle days finds changes after the move', async ({ storage, clock }) => {
        const alice = await addUser(storage);
        await openChannel(storage, alice, 'phone').push(1);
        clock.at += 50 * HOUR;
        const { mark } = await openChannel(storage, alice, 'phone').pull(0);
        const { push, pull } = openChannel(storage, await move(storage, alice), 'phone');
        assert.deepEqual((await pull(mark)).numbers, []);
        await push(2);
        assert.deepEqual((await pull(mark)).numbers, [2]);
        assert.deepEqual((await pull(mark + 1)).numbers, [2], 'for a client that adds one to its mark');
      });

      test("recent uploads count as another device's during the overlap", async ({ storage, clock }) => {
        const alice = await addUser(storage);
        const before = openChannel(storage, alice, 'tv');
        await before.push(1);
        clock.at += OVERLAP;
        const lately = (await before.push(2)) - 1;
        await before.push(3);
        clock.at += OVERLAP - 2;
        const imported = await move(storage, alice);
        const [tv, phone] = [openChannel(storage, imported, 'tv'), openChannel(storage, imported, 'phone')];
        assert.equal(await tv.push(4), lately - 1, 'the import does not know that these are its own');
        clock.at += OVERLAP - 1;
        assert.equal(await phone.push(5), lately - 1);
        clock.at += 2 * OVERLAP;
        assert.equal(await phone.push(6), (await phone.pull(0)).mark);
      });

      test('older uploads lower no mark', async ({ storage, clock }) => {
        const alice = await addUser(storage);
        await openChannel(storage, alice, 'tv').push(1);
        clock.at += OVERLAP + 2; // the stamp is this far ahead
        const phone = openChannel(storage, await move(storage, alice), 'phone');
        assert.equal(await phone.push(2), (await phone.pull(0)).mark);
      });

      test('a repeated upload stores nothing', async (bench) => {
        const alice = await addUser(bench.storage);
        const numbers = Array.from({ length: 2300 }, (_, i) => i + 1);
        const mark = await openChannel(bench.storage, alice, 'phone').push(...numbers);
        const imported = await move(bench.storage, alice);
        for await (const open of bench.nowAndReopened()) {
          const { push, pull } = openChannel(open, imported, 'phone');
          await push(...numbers.slice(500, 1700));
          await push(...numbers);
          assert.deepEqual((await pull(0)).numbers, numbers);
          assert.equal((await pull(0)).mark, mark);
        }
      });
    });
  }

  test('subscriptions keep their order, and removed ones their position', async ({ storage, clock, reopen }) => {
    const alice = await addUser(storage);
    const { subscriptions } = storage;
    await subscriptions.apply(alice, 'tv', add(feed(5), feed(3)));
    await subscriptions.apply(alice, 'phone', add(feed(4), feed(3), feed(1)));
    await subscriptions.apply(alice, 'tv', remove(feed(5)));
    await subscriptions.apply(alice, 'phone', [...remove(feed(4)), ...add(feed(2))]);
    clock.at += OVERLAP;
    const imported = await move(storage, alice);
    const { subscriptions: moved } = await reopen();
    assert.deepEqual(await moved.current(imported), [3, 1, 2].map(feed));
    await moved.apply(imported, 'tv', add(feed(9), feed(5)));
    await moved.apply(imported, 'phone', add(feed(4), feed(8)));
    assert.deepEqual(await moved.current(imported), [5, 3, 4, 1, 2, 9, 8].map(feed));
    assert.deepEqual(await moved.current(imported, 'tv'), [5, 3, 9].map(feed));
    assert.deepEqual(await moved.current(imported, 'phone'), [4, 3, 1, 2, 8].map(feed));
  });

  test('devices keep their order, and a new one comes last', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    for (const id of ['tv', 'phone', 'car']) await storage.devices.save(alice, id, { caption: `my ${id}` });
    const before = await storage.devices.all(alice);
    const imported = await move(storage, alice);
    for await (const { devices } of nowAndReopened()) assert.deepEqual(await devices.all(imported), before);
  });

  test('groups continue, and new devices join if the user wants that', async ({ storage, reopen }) => {
    const alice = await addUser(storage);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await storage.devices.save(alice, id, {});
    await storage.devices.synchronize(
      alice,
      [
        ['e', 'b'],
        ['d', 'a'],
      ],
      [],
    );
    const imported = await move(storage, alice);
    const { subscriptions, settings } = await reopen();
    await subscriptions.apply(imported, 'b', add(feed(1)));
    await subscriptions.apply(imported, 'a', add(feed(2)));
    assert.deepEqual(await subscriptions.current(imported, 'e'), [feed(1)]);
    assert.deepEqual(await subscriptions.current(imported, 'd'), [feed(2)]);
    assert.deepEqual(await subscriptions.current(imported, 'c'), []);
    await settings.update(imported, { kind: 'account' }, { set: { sync_devices: true }, remove: [], limit: 10 });
    const open = await reopen();
    const again = await move(open, imported);
    await open.devices.save(again, 'f', {});
    assert.deepEqual((await open.subscriptions.current(again, 'f')).toSorted(), [feed(1), feed(2)]);
    assert.deepEqual((await open.devices.groups(again)).flat().toSorted(), ['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('settings, lists and sessions are kept', async ({ storage, clock, nowAndReopened }) => {
    const alice = await addUser(storage);
    const [account, podcast] = [{ kind: 'account' }, { kind: 'podcast', podcast: feed(1) }] as const;
    const set = Object.fromEntries([
      ['__proto__', [null]],
      ['a', { b: 1 }],
    ]);
    for (const scope of [account, podcast]) await storage.settings.update(alice, scope, { set, remove: [], limit: 10 });
    for (const name of ['news', 'art']) await storage.lists.create(alice, { name, title: name, urls: feeds(3) });
    await storage.sessions.save(session(alice, 'one', clock.at + 100));
    const imported = await move(storage, alice);
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await open.settings.get(imported, account), set);
      assert.deepEqual(await open.settings.withKey(imported, 'podcast', 'a'), [{ scope: podcast, value: { b: 1 } }]);
      assert.deepEqual(
        (await open.lists.all(imported)).map(({ name }) => name),
        ['news', 'art'],
      );
      assert.deepEqual((await open.lists.find(imported, 'art'))?.urls, feeds(3));
      assert.equal((await open.sessions.find(session(imported, 'one', 0).digest))?.user.id, imported);
    }
  });

  describe('the directory', () => {
    test('counts an imported user, but not one whose import failed', async (bench) => {
      const { storage } = bench;
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      await storage.subscriptions.apply(bob, 'phone', add(feed(1)));
      for (const device of ['phone', 'tv']) await storage.subscriptions.apply(alice, device, add(feed(1), feed(2)));
      await storage.subscriptions.apply(alice, 'phone', remove(feed(2)));
      await storage.subscriptions.apply(alice, 'phone', add(feed(3)));
      await storage.subscriptions.apply(alice, 'phone', remove(feed(3)));
      const records = await exportUser(storage, alice);
      await storage.users.delete(alice);
      const broken = async function* (): AsyncGenerator<UserRecord[]> {
        yield records;
        throw new Error('cut');
      };
      await assert.rejects(storage.transfer.importUser(broken()), /cut/);
      assert.deepEqual(await counts(storage, 1, 2, 3), [1, 0, 0]);
      const imported = await importUser(storage, records);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await counts(open, 1, 2, 3), [2, 1, 0]);
        assert.deepEqual(
          (await open.podcasts.top(9)).map(({ url }) => url),
          [feed(1), feed(2)],
        );
        assert.deepEqual(await open.podcasts.rebuildToplist(), { podcasts: 2, corrected: 0 });
      }
      const open = await bench.reopen();
      await open.subscriptions.replace(imported, 'tv', []);
      assert.deepEqual(await counts(open, 1, 2), [2, 0]);
      await open.subscriptions.replace(imported, 'phone', []);
      assert.deepEqual(await counts(open, 1, 2), [1, 0]);
    });

    test('knows the feeds of imported subscriptions, and no others', async (bench) => {
      const { storage, clock } = bench;
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed('now'), feed('once')));
      await storage.subscriptions.apply(alice, 'phone', remove(feed('once')));
      await storage.actions.append(alice, [action(1, { podcast: feed('acted') })]);
      const records = await exportUser(storage, alice);
      await storage.transfer.clear();
      await importUser(storage, records);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await counts(open, 'now', 'once', 'acted', 'other'), [1, undefined, undefined, undefined]);
      }
      const due = await (await bench.reopen()).podcasts.claimDue(9, 60);
      assert.deepEqual(
        due.map(({ url, nextAt }) => [url, nextAt]),
        [[feed('now'), clock.at]],
      );
    });

    test('knows for which podcasts an imported account has actions', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      const podcasts = feeds(1500); // more than one batch
      await storage.actions.append(
        alice,
        podcasts.map((podcast) => action(1, { podcast })),
      );
      const imported = await move(storage, alice);
      for await (const open of nowAndReopened()) {
        const used = await open.podcasts.areUsedBy(imported, [...podcasts, feed('other')]);
        assert.deepEqual(used, [...podcasts.map(() => true), false]);
      }
    });
  });
};
