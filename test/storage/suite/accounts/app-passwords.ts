import assert from 'node:assert/strict';
import type { UserId } from '../../../../src/domain/types.ts';
import type { AppPassword } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { addUser, SECRET } from '../samples.ts';

export const appPassword = (user: UserId, digest: string, createdAt = 1000): AppPassword => ({
  digest: `${SECRET}-${digest}`,
  user,
  label: `Phone ${digest}`,
  device: `app-${digest}`,
  createdAt,
});

const USE = { usedAt: 2000, address: '192.0.2.1', app: 'AntennaPod/3' };

export const appPasswordTests: Suite = ({ test }) => {
  test('returns an app password with its user, and all of a user in the order created', async (bench) => {
    const alice = await bench.storage.users.create({ name: 'alice', email: 'a@example.org', passwordHash: 'hash' });
    const bob = await addUser(bench.storage, 'bob');
    const [late, early, other] = [
      appPassword(alice.id, 'late', 9),
      appPassword(alice.id, 'early', 8),
      appPassword(bob, 'b'),
    ];
    for (const each of [late, early, other]) await bench.storage.appPasswords.create(each);
    for await (const { appPasswords } of bench.nowAndReopened()) {
      assert.deepEqual(await appPasswords.find(late.digest), { appPassword: late, user: alice });
      assert.deepEqual(await appPasswords.all(alice.id), [early, late]);
      assert.equal(await appPasswords.find(`${late.digest}x`), undefined);
      assert.equal(await appPasswords.find(''), undefined);
    }
  });

  test('stays valid when the password of the account changes', async ({ storage }) => {
    const alice = await addUser(storage);
    const one = appPassword(alice, 'one');
    await storage.appPasswords.create(one);
    await storage.users.update(alice, { passwordHash: 'another' });
    assert.equal((await storage.appPasswords.find(one.digest))?.user.passwordHash, 'another');
  });

  test('keeps the time and the address of its last use', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    const one = appPassword(alice, 'one');
    await storage.appPasswords.create(one);
    assert.equal(await storage.appPasswords.recordUse(alice, one.digest, USE), true);
    for await (const { appPasswords } of nowAndReopened()) {
      assert.deepEqual(await appPasswords.all(alice), [{ ...one, ...USE }]);
    }
  });

  test('is not recreated by a use after it was revoked', async ({ storage, nowAndReopened }) => {
    const [alice, bob] = [await addUser(storage), await addUser(storage, 'bob')];
    const [one, two] = [appPassword(alice, 'one'), appPassword(alice, 'two')];
    for (const each of [one, two]) await storage.appPasswords.create(each);
    assert.equal(await storage.appPasswords.revoke(bob, one.digest), false, 'it belongs to alice');
    assert.equal(await storage.appPasswords.recordUse(bob, one.digest, USE), false);
    assert.equal(await storage.appPasswords.revoke(alice, one.digest), true);
    assert.equal(await storage.appPasswords.revoke(alice, one.digest), false);
    assert.equal(await storage.appPasswords.recordUse(alice, one.digest, USE), false);
    for await (const { appPasswords } of nowAndReopened()) {
      assert.equal(await appPasswords.find(one.digest), undefined);
      assert.deepEqual(await appPasswords.all(alice), [two]);
    }
  });

  test('takes the marks served to its device with it, and no others', async ({ storage }) => {
    const alice = await addUser(storage);
    const [one, two] = [appPassword(alice, 'one'), appPassword(alice, 'two')];
    const mark = { since: 1, from: 1, mark: 2 };
    for (const each of [one, two]) {
      await storage.appPasswords.create(each);
      await storage.servedMarks.save(alice, each.device, 'actions', mark);
    }
    await storage.appPasswords.revoke(alice, one.digest);
    assert.equal(await storage.servedMarks.find(alice, one.device, 'actions'), undefined);
    assert.deepEqual(await storage.servedMarks.find(alice, two.device, 'actions'), mark);
  });

  test('is removed with its account', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    const one = appPassword(alice, 'one');
    await storage.appPasswords.create(one);
    await storage.users.delete(alice);
    await assert.rejects(storage.appPasswords.create({ ...one, user: alice }), { code: 'missing' });
    const next = await addUser(storage);
    for await (const { appPasswords } of nowAndReopened()) {
      assert.equal(await appPasswords.find(one.digest), undefined);
      assert.deepEqual(await appPasswords.all(next), []);
    }
  });
};
