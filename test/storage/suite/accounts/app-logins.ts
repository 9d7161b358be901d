import assert from 'node:assert/strict';
import type { Seconds, UserId } from '../../../../src/domain/types.ts';
import type { GrantedLogin } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { addUser, SECRET } from '../samples.ts';

const login = (user: UserId, digest: string, expiresAt: Seconds): GrantedLogin => ({
  digest: `${SECRET}-${digest}`,
  user,
  label: 'Phone',
  expiresAt,
});

/** Granted logins that apps fetch. */
export const appLoginTests: Suite = ({ test }) => {
  test('returns a granted login once, with its user', async ({ storage, clock, reopen }) => {
    const alice = await addUser(storage);
    const [one, two] = [login(alice, 'one', clock.at + 100), login(alice, 'two', clock.at + 100)];
    assert.equal(await storage.appLogins.take(one.digest), undefined);
    for (const each of [one, two]) assert.equal(await storage.appLogins.grant(each), true);
    const taken = await storage.appLogins.take(one.digest);
    assert.deepEqual([taken?.login, taken?.user.id], [one, alice]);
    const { appLogins } = await reopen();
    assert.equal(await appLogins.take(one.digest), undefined);
    assert.deepEqual((await appLogins.take(two.digest))?.login, two);
  });

  test('grants no login twice, taken or not', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    const one = login(alice, 'one', clock.at + 100);
    assert.equal(await storage.appLogins.isGranted(one.digest), false);
    await storage.appLogins.grant(one);
    assert.equal(await storage.appLogins.isGranted(one.digest), true);
    assert.equal(await storage.appLogins.grant({ ...one, label: 'Other' }), false);
    await storage.appLogins.take(one.digest);
    assert.equal(await storage.appLogins.isGranted(one.digest), true);
    assert.equal(await storage.appLogins.grant(one), false);
    assert.equal(await storage.appLogins.take(one.digest), undefined);
  });

  test('returns it to one of many concurrent callers', async ({ storage, clock }) => {
    const one = login(await addUser(storage), 'one', clock.at + 100);
    await storage.appLogins.grant(one);
    const taken = await Promise.all(Array.from({ length: 5 }, () => storage.appLogins.take(one.digest)));
    assert.equal(taken.filter((each) => each !== undefined).length, 1);
  });

  test('returns no login that has expired, or whose user was removed', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    const [one, two] = [login(alice, 'one', clock.at + 100), login(alice, 'two', clock.at + 200)];
    for (const each of [one, two]) await storage.appLogins.grant(each);
    clock.at += 100;
    assert.equal(await storage.appLogins.take(one.digest), undefined);
    assert.equal(await storage.appLogins.grant({ ...one, expiresAt: clock.at + 10 }), true, 'what is over was removed');
    await storage.users.delete(alice);
    assert.equal(await storage.appLogins.take(two.digest), undefined);
  });

  test('removes a login with its account only', async ({ storage, clock }) => {
    const [alice, bob] = [await addUser(storage), await addUser(storage, 'bob')];
    const [one, two] = [login(alice, 'one', clock.at + 100), login(bob, 'two', clock.at + 100)];
    for (const each of [one, two]) await storage.appLogins.grant(each);
    await storage.users.delete(alice);
    assert.equal(await storage.appLogins.isGranted(one.digest), false);
    assert.equal(await storage.appLogins.isGranted(two.digest), true);
  });
};
