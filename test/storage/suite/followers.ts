import assert from 'node:assert/strict';
import type { UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import type { Suite } from './bench.ts';
import { A, B, C, currentOf, D, addUserWithDevices, changesFor, markOf } from './group-samples.ts';
import { add, addUser, remove } from './samples.ts';

const follow = (storage: Storage, user: UserId, device: string) =>
  storage.devices.save(user, device, { caption: device, followsAll: true });

const apply = (storage: Storage, user: UserId, device: string, changes: ReturnType<typeof add>) =>
  storage.subscriptions.apply(user, device, changes);

/** Apps without devices: each follows all other devices, which keep their own lists. */
export const followerTests: Suite = ({ test }) => {
  test('a new one has the union of all lists, and changes none', async ({ storage, nowAndReopened }) => {
    const alice = await addUserWithDevices(storage);
    const before = await markOf(storage, alice);
    await follow(storage, alice, 'app');
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await open.subscriptions.current(alice, 'app'), [A, B, C]);
      assert.deepEqual(await changesFor(open, alice, 'app', before), new Set(add(A, B, C)));
      assert.deepEqual(await changesFor(open, alice, 'phone', before), new Set());
      assert.equal((await open.devices.find(alice, 'app'))?.followsAll, true);
      assert.equal((await open.devices.find(alice, 'phone'))?.followsAll, undefined);
    }
  });

  test('receives feeds added elsewhere, and a removal when no other device has the feed', async ({ storage }) => {
    const alice = await addUserWithDevices(storage);
    await follow(storage, alice, 'app');
    await apply(storage, alice, 'tv', add(A, D));
    let mark = await markOf(storage, alice);
    await apply(storage, alice, 'phone', remove(A));
    assert.deepEqual(await changesFor(storage, alice, 'app', mark), new Set());
    mark = await markOf(storage, alice);
    await apply(storage, alice, 'tv', [...remove(A, D), ...add(C)]);
    assert.deepEqual(await changesFor(storage, alice, 'app', mark), new Set(remove(A, D)));
    assert.deepEqual(await currentOf(storage, alice, 'app'), new Set([B, C]));
    mark = await markOf(storage, alice);
    await storage.subscriptions.replace(alice, 'car', [D]);
    assert.deepEqual(await changesFor(storage, alice, 'app', mark), new Set(add(D)));
  });

  test('a change on it applies to every device, in one commit', async ({ storage, nowAndReopened }) => {
    const alice = await addUserWithDevices(storage);
    await follow(storage, alice, 'app');
    const before = await markOf(storage, alice);
    await apply(storage, alice, 'app', [...add(D), ...remove(B)]);
    const stamp = (await markOf(storage, alice)) - 1;
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await changesFor(open, alice, 'phone', before), new Set(add(D)));
      assert.deepEqual(await changesFor(open, alice, 'tv', before), new Set([...add(D), ...remove(B)]));
      assert.deepEqual(await changesFor(open, alice, 'tv', stamp + 1), new Set());
      assert.deepEqual(await currentOf(open, alice, 'app'), new Set([A, C, D]));
    }
  });

  test('named beside others, it reaches no more than those', async ({ storage }) => {
    const alice = await addUserWithDevices(storage);
    await follow(storage, alice, 'app');
    await storage.subscriptions.apply(alice, ['phone', 'app'], add(D));
    assert.deepEqual(await currentOf(storage, alice, 'tv'), new Set([B]));
    assert.deepEqual(await currentOf(storage, alice, 'app'), new Set([A, B, C, D]));
  });

  test('several stay equal, and keep their list when the other devices are removed', async ({
    storage,
    nowAndReopened,
  }) => {
    const alice = await addUser(storage);
    await follow(storage, alice, 'one');
    await apply(storage, alice, 'one', add(A));
    await follow(storage, alice, 'two');
    await apply(storage, alice, 'two', add(B));
    await apply(storage, alice, 'phone', add(C));
    await storage.devices.delete(alice, 'phone');
    await apply(storage, alice, 'one', remove(A));
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await currentOf(open, alice, 'one'), new Set([B, C]));
      assert.deepEqual(await currentOf(open, alice, 'two'), new Set([B, C]));
      assert.deepEqual(await open.subscriptions.current(alice), [B, C]);
    }
  });
};
