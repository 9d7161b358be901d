import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Suite } from '../bench.ts';
import { addUser, session } from '../samples.ts';

export const sessionTests: Suite = ({ describe, test }) => {
  test('returns the session with its user', async ({ storage, clock }) => {
    const alice = await storage.users.create({ name: 'alice', email: 'a@example.org', passwordHash: 'hash' });
    await addUser(storage, 'bob');
    const saved = session(alice.id, 'one', clock.at + 100);
    await storage.sessions.save(saved);
    assert.deepEqual(await storage.sessions.find(saved.digest), { session: saved, user: alice });
  });

  test('counts those that are not expired', async ({ storage, clock, nowAndReopened }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    assert.equal(await storage.sessions.count(), 0);
    await storage.sessions.save(session(alice, 'one', clock.at + 100));
    await storage.sessions.save(session(alice, 'two', clock.at + 200));
    await storage.sessions.save(session(bob, 'three', clock.at + 300));
    clock.at += 100;
    for await (const open of nowAndReopened()) assert.equal(await open.sessions.count(), 2);
  });

  test('keeps the app that opened it', async ({ storage, clock, reopen }) => {
    const alice = await addUser(storage);
    const saved = { ...session(alice, 'one', clock.at + 100), app: 'Kasts/24' };
    await storage.sessions.save(saved);
    await storage.sessions.update(saved.digest, { expiresAt: clock.at + 200 });
    assert.deepEqual(await (await reopen()).sessions.all(alice), [{ ...saved, expiresAt: clock.at + 200 }]);
  });

  test('forgets the app that opened it, and creates none that does not exist', async ({ storage, clock, reopen }) => {
    const alice = await addUser(storage);
    const saved = session(alice, 'one', clock.at + 100);
    await storage.sessions.save({ ...saved, app: 'Kasts/24' });
    await storage.sessions.update(saved.digest, { app: undefined });
    await storage.sessions.update('unknown', { app: undefined });
    assert.equal((await storage.sessions.find(saved.digest))?.session.app, undefined);
    const { sessions } = await reopen();
    assert.deepEqual(await sessions.all(alice), [saved]);
    assert.equal(await sessions.count(), 1);
  });

  test('compares digests exactly', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    const saved = session(alice, 'Abc+/=', clock.at + 100);
    await storage.sessions.save(saved);
    for (const digest of [
      saved.digest.toLowerCase(),
      saved.digest.toUpperCase(),
      `${saved.digest} `,
      '__proto__',
      '',
    ]) {
      assert.equal(await storage.sessions.find(digest), undefined, `found as ${JSON.stringify(digest)}`);
    }
  });

  test('replaces the session with the same digest', async ({ storage, clock }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    const first = session(alice, 'one', clock.at + 100);
    const second = { ...first, user: bob, expiresAt: clock.at + 200 };
    await storage.sessions.save(first);
    await storage.sessions.save(second);
    clock.at += 150;
    const found = await storage.sessions.find(first.digest);
    assert.deepEqual([found?.session, found?.user.name], [second, 'bob']);
    assert.deepEqual(await storage.sessions.all(alice), []);
    clock.at += 50;
    assert.equal(await storage.sessions.deleteExpired(), 1);
  });

  describe('extending', () => {
    test('changes the expiry of this session only', async ({ storage, clock, nowAndReopened }) => {
      const alice = await addUser(storage);
      const [one, two] = [session(alice, 'one', clock.at + 100), session(alice, 'two', clock.at + 100)];
      for (const each of [one, two]) await storage.sessions.save(each);
      assert.equal(await storage.sessions.update(one.digest, { expiresAt: clock.at + 200 }), true);
      clock.at += 100;
      for await (const { sessions } of nowAndReopened()) {
        assert.deepEqual((await sessions.find(one.digest))?.session, { ...one, expiresAt: clock.at + 100 });
        assert.equal(await sessions.find(two.digest), undefined);
      }
    });

    test('may shorten a session', async ({ storage, clock }) => {
      const saved = session(await addUser(storage), 'one', clock.at + 100);
      await storage.sessions.save(saved);
      assert.equal(await storage.sessions.update(saved.digest, { expiresAt: clock.at + 50 }), true);
      clock.at += 50;
      assert.equal(await storage.sessions.find(saved.digest), undefined);
    });

    test('does not recreate an expired or ended session', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      const [over, ended] = [session(alice, 'over', clock.at + 50), session(alice, 'ended', clock.at + 100)];
      for (const each of [over, ended]) await storage.sessions.save(each);
      clock.at += 50;
      await storage.sessions.delete(ended.digest);
      for (const digest of [over.digest, ended.digest, 'unknown']) {
        assert.equal(await storage.sessions.update(digest, { expiresAt: clock.at + 100 }), false, digest);
      }
      assert.deepEqual(await storage.sessions.all(alice), []);
    });

    test('in its last second, concurrently with the removal of expired ones, returns whether it exists', async ({
      storage,
      clock,
    }) => {
      const alice = await addUser(storage);
      for (let trial = 0; trial < 20; trial++) {
        const saved = session(alice, `${trial}`, clock.at + 1);
        await storage.sessions.save(saved);
        const extended = storage.sessions.update(saved.digest, { expiresAt: clock.at + 100 });
        if (trial % 2) await setImmediate();
        clock.at += 1;
        const removed = await storage.sessions.deleteExpired();
        const isThere = (await storage.sessions.find(saved.digest)) !== undefined;
        assert.deepEqual([await extended, removed], [isThere, isThere ? 0 : 1], `in trial ${trial}`);
      }
    });

    test('concurrently with its end does not undo the end', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      const saved = session(alice, 'one', clock.at + 100);
      for (let trial = 0; trial < 20; trial++) {
        await storage.sessions.save(saved);
        const extend = () => storage.sessions.update(saved.digest, { expiresAt: clock.at + 200 });
        const end = () => (trial % 2 ? storage.sessions.endAll(alice) : storage.sessions.delete(saved.digest));
        await Promise.all(trial % 4 < 2 ? [extend(), end()] : [end(), extend()]);
        assert.equal(await storage.sessions.find(saved.digest), undefined, `in trial ${trial}`);
      }
    });
  });

  test('deletes one session, and ignores an unknown digest', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    const [one, two] = [session(alice, 'one', clock.at + 100), session(alice, 'two', clock.at + 100)];
    await storage.sessions.save(one);
    await storage.sessions.save(two);
    await storage.sessions.delete(one.digest);
    await storage.sessions.delete(one.digest);
    await storage.sessions.delete('unknown');
    assert.equal(await storage.sessions.find(one.digest), undefined);
    assert.deepEqual((await storage.sessions.find(two.digest))?.session, two);
  });

  describe('of one user', () => {
    test('are listed, the last to expire first', async ({ storage, clock }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      const later = session(alice, 'later', clock.at + 200);
      const sooner = session(alice, 'sooner', clock.at + 150);
      const over = session(alice, 'over', clock.at + 100);
      for (const each of [sooner, later, over, session(bob, 'other', clock.at + 300)]) {
        await storage.sessions.save(each);
      }
      clock.at += 100;
      assert.deepEqual(await storage.sessions.all(alice), [later, sooner]);
    });

    test('end together, without others', async ({ storage, clock, nowAndReopened }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      const mine = ['one', 'two'].map((digest) => session(alice, digest, clock.at + 100));
      const over = session(alice, 'over', clock.at + 1);
      const other = session(bob, 'other', clock.at + 100);
      for (const each of [...mine, over, other]) await storage.sessions.save(each);
      clock.at += 1;
      assert.equal(await storage.sessions.endAll(alice), 2);
      assert.equal(await storage.sessions.endAll(alice), 0, 'they were ended already');
      for await (const { sessions } of nowAndReopened()) {
        assert.deepEqual(await sessions.all(alice), []);
        assert.equal(await sessions.find(mine[0]!.digest), undefined);
        assert.deepEqual(await sessions.all(bob), [other]);
      }
    });
  });

  describe('expiry', () => {
    test('is at `expiresAt` to the second', async ({ storage, clock }) => {
      const saved = session(await addUser(storage), 'one', clock.at + 100);
      await storage.sessions.save(saved);
      clock.at = saved.expiresAt - 1;
      assert.deepEqual((await storage.sessions.find(saved.digest))?.session, saved);
      clock.at = saved.expiresAt;
      assert.equal(await storage.sessions.find(saved.digest), undefined);
    });

    test('removes and counts expired sessions, and keeps the rest', async ({ storage, clock }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      const now = clock.at + 100;
      const expired = [session(alice, 'past', now - 1), session(alice, 'edge', now), session(bob, 'bob', now - 50)];
      const left = [session(alice, 'next', now + 1), session(bob, 'far', now + 1000)];
      for (const each of [...expired, ...left]) await storage.sessions.save(each);
      assert.equal(await storage.sessions.deleteExpired(), 0, 'nothing has expired yet');
      clock.at = now;
      assert.equal(await storage.sessions.deleteExpired(), expired.length);
      assert.equal(await storage.sessions.deleteExpired(), 0, 'they were removed already');
      for (const each of left) assert.deepEqual((await storage.sessions.find(each.digest))?.session, each);
      clock.at = now - 100;
      for (const { digest } of expired) assert.equal(await storage.sessions.find(digest), undefined);
    });
  });
};
