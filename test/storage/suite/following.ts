import assert from 'node:assert/strict';
import type { Stamp, UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import { OVERLAP, type Suite } from './bench.ts';
import { A, B, C, currentOf, D, addUserWithDevices, changesFor, markOf, sorted } from './group-samples.ts';
import { action, add, addUser, remove } from './samples.ts';

const followAll = (storage: Storage, user: UserId, value: boolean | string): Promise<unknown> =>
  storage.settings.update(user, { kind: 'account' }, { set: { sync_devices: value }, remove: [], limit: 1000 });

export const followingTests: Suite = ({ test }) => {
  /** How the bike is created, which mark that returns if it is an upload, and the feeds that it adds. */
  const CREATIONS: readonly [string, (storage: Storage, user: UserId) => Promise<Stamp | undefined>, string[]][] = [
    ['saving it', (storage, user) => storage.devices.save(user, 'bike', { type: 'other' }).then(() => undefined), []],
    ['a delta', (storage, user) => storage.subscriptions.apply(user, 'bike', add(D)), [D]],
    ['an empty delta', (storage, user) => storage.subscriptions.apply(user, 'bike', []), []],
    ['a whole list', (storage, user) => storage.subscriptions.replace(user, 'bike', [D, A]), [D]],
    ['an episode action', (storage, user) => storage.actions.append(user, [action(1, { device: 'bike' })]), []],
  ];
  for (const [what, create, added] of CREATIONS) {
    test(`a device created by ${what} joins all others`, async ({ storage, clock, nowAndReopened }) => {
      const alice = await addUserWithDevices(storage);
      await followAll(storage, alice, true);
      assert.deepEqual(await storage.devices.groups(alice), [], 'before anything is created');
      clock.at += OVERLAP;
      const before = await markOf(storage, alice);
      const mark = await create(storage, alice);
      const stamp = (await markOf(storage, alice)) - 1;
      if (mark !== undefined) assert.equal(mark, stamp - 1, 'the changes of the others are still new to it');
      for await (const open of nowAndReopened()) {
        assert.deepEqual(sorted(await open.devices.groups(alice)), ['bike car phone tv']);
        for (const device of ['bike', 'car', 'phone', 'tv']) {
          assert.deepEqual(await currentOf(open, alice, device), new Set([A, B, C, ...added]), device);
        }
        assert.deepEqual(await changesFor(open, alice, 'phone', before), new Set(add(B, C, ...added)));
        assert.deepEqual(await changesFor(open, alice, 'bike', mark ?? before), new Set(add(A, B, C, ...added)));
        assert.deepEqual(await changesFor(open, alice, 'bike', stamp + 1), new Set());
      }
    });
  }

  test('feeds uploaded by a new device come first in its list', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    await followAll(storage, alice, true);
    await storage.subscriptions.apply(alice, 'phone', add(A, B, C));
    await storage.subscriptions.replace(alice, 'tv', [D, B]);
    for await (const { subscriptions } of nowAndReopened()) {
      assert.deepEqual(await subscriptions.current(alice, 'tv'), [D, B, A, C]);
      assert.deepEqual(await subscriptions.current(alice, 'phone'), [A, B, C, D]);
    }
  });

  test('feeds uploaded by a new device come last in the lists of the others', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    await storage.subscriptions.apply(alice, 'tv', add(C));
    await storage.subscriptions.apply(alice, 'car', add(A, B));
    await followAll(storage, alice, true);
    await storage.subscriptions.apply(alice, 'phone', add(D));
    for await (const { subscriptions } of nowAndReopened()) {
      assert.deepEqual(await subscriptions.current(alice, 'tv'), [C, A, B, D]);
      assert.deepEqual(await subscriptions.current(alice, 'car'), [A, B, C, D]);
      assert.deepEqual(await subscriptions.current(alice, 'phone'), [D, C, A, B]);
    }
  });

  test('a new device that uploads all feeds of the others does not receive them again', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    await followAll(storage, alice, true);
    await storage.subscriptions.apply(alice, 'phone', add(A, B));
    clock.at += OVERLAP;
    const mark = await storage.subscriptions.apply(alice, 'tv', add(B, A));
    assert.deepEqual(await changesFor(storage, alice, 'tv', mark), new Set());
    assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
  });

  test('a new device that uploads again before it reads loses nothing', async ({ storage, clock }) => {
    const alice = await addUserWithDevices(storage);
    await followAll(storage, alice, true);
    clock.at += OVERLAP;
    await storage.subscriptions.apply(alice, 'bike', add(D));
    const mark = await storage.subscriptions.apply(alice, 'bike', remove(D));
    for (const since of [mark, mark + 1]) {
      const heard = await changesFor(storage, alice, 'bike', since);
      const added = [...heard].flatMap(({ url, subscribed }) => (subscribed ? [url] : []));
      assert.deepEqual(new Set(added), new Set([A, B, C]));
    }
  });

  test('the first device joins no group, the second joins the first', async ({ storage }) => {
    const alice = await addUser(storage);
    await followAll(storage, alice, true);
    await storage.subscriptions.apply(alice, 'phone', add(A));
    assert.deepEqual(await storage.devices.groups(alice), []);
    await storage.subscriptions.apply(alice, 'tv', add(B));
    assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
    assert.deepEqual(await currentOf(storage, alice, 'phone'), new Set([A, B]));
  });

  test('a device that joins empty devices gets no stamp', async ({ storage }) => {
    const alice = await addUser(storage);
    await followAll(storage, alice, true);
    await storage.devices.save(alice, 'phone', {});
    const mark = await markOf(storage, alice);
    await storage.devices.save(alice, 'tv', {});
    assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
    assert.equal(await markOf(storage, alice), mark);
  });

  for (const value of [false, 'true']) {
    test(`${JSON.stringify(value)} nothing joins by itself, and groups stay`, async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      await followAll(storage, alice, true);
      await storage.devices.save(alice, 'bike', {});
      await followAll(storage, alice, value);
      await storage.subscriptions.apply(alice, 'boat', add(D));
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['bike car phone tv']);
      assert.deepEqual(await storage.subscriptions.current(alice, 'boat'), [D]);
    });
  }
};
