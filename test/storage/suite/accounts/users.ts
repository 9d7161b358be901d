import assert from 'node:assert/strict';
import type { NewUser } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { rejectsWith } from '../expectations.ts';
import { add, addUser, feed, ODD_TEXTS, session } from '../samples.ts';

const ALICE: NewUser = { name: 'Alice', email: 'Zoë.Alice@Example.org', passwordHash: 'hash of alice' };

export const userTests: Suite = ({ describe, test }) => {
  describe('creating', () => {
    test('returns the given data, the time and an id', async ({ storage, clock }) => {
      const alice = await storage.users.create(ALICE);
      assert.deepEqual(alice, { ...ALICE, id: alice.id, createdAt: clock.at });
      assert.equal(typeof alice.id, 'string');
      assert.notEqual(alice.id, '');
    });

    test('needs no e-mail address', async ({ storage, clock }) => {
      const bob = await storage.users.create({ name: 'bob', passwordHash: 'hash' });
      assert.deepEqual(bob, { id: bob.id, name: 'bob', passwordHash: 'hash', createdAt: clock.at });
      const carol = await storage.users.create({ name: 'carol', passwordHash: 'hash' });
      assert.notEqual(carol.id, bob.id);
    });

    test('stores the given settings in the same commit, and they take effect', async ({ storage }) => {
      const settings = { sync_devices: true, public_subscriptions: false };
      const { id } = await storage.users.create(ALICE, settings);
      assert.deepEqual(await storage.settings.get(id, { kind: 'account' }), settings);
      await storage.subscriptions.apply(id, 'phone', add(feed(1)));
      await storage.devices.save(id, 'tv', {});
      assert.deepEqual(await storage.devices.groups(id), [['phone', 'tv']]);
      const changed = { set: { colour: 'red' }, remove: ['sync_devices'], limit: 9 };
      assert.deepEqual(await storage.settings.update(id, { kind: 'account' }, changed), {
        public_subscriptions: false,
        colour: 'red',
      });
    });

    for (const [what, taken] of [
      ['a name that another account has', { name: 'aLICE' }],
      ['a name that is the e-mail address of another account', { name: 'zoë.alice@example.ORG' }],
      ['an e-mail address that another account has', { name: 'bob', email: 'ZOË.ALICE@EXAMPLE.ORG' }],
      ['an e-mail address that is the name of another account', { name: 'bob', email: 'ALICE' }],
    ] as const) {
      test(`refuses ${what}, in any letter case, and stores nothing`, async ({ storage }) => {
        const alice = await storage.users.create(ALICE);
        await rejectsWith('conflict', storage.users.create({ ...taken, passwordHash: 'another hash' }));
        assert.equal(await storage.users.find('bob'), undefined);
        assert.deepEqual(await storage.users.all(), [alice]);
      });
    }
  });

  describe('finding', () => {
    for (const login of ['Alice', 'ALICE', 'alice', 'Zoë.Alice@Example.org', 'zoë.alice@example.org']) {
      test(`finds Alice as ${login}`, async ({ storage }) => {
        const alice = await storage.users.create(ALICE);
        assert.deepEqual(await storage.users.find(login), alice);
      });
    }

    test('finds nobody by another name, a part of one or a pattern', async ({ storage }) => {
      await storage.users.create(ALICE);
      for (const login of [
        'bob',
        '',
        'Alic',
        'Alice ',
        'Alice@',
        'A_ice',
        'A%',
        '%',
        '*',
        'constructor',
        '__proto__',
      ]) {
        assert.equal(await storage.users.find(login), undefined, `found as ${JSON.stringify(login)}`);
      }
    });

    test('accepts any text as a name', async ({ storage, reopen }) => {
      const created = new Map<string, string>();
      for (const name of ODD_TEXTS) {
        const id = await addUser(storage, name);
        await storage.devices.save(id, 'phone', { caption: name });
        created.set(name, id);
      }
      assert.equal(new Set(created.values()).size, ODD_TEXTS.length, 'an id was given out twice');
      const { users, devices } = await reopen();
      for (const name of ODD_TEXTS) {
        const user = await users.find(name);
        assert.equal(user?.name, name);
        assert.equal(user.id, created.get(name));
        assert.equal((await devices.find(user.id, 'phone'))?.caption, name);
      }
    });
  });

  describe('listing', () => {
    test('is sorted by name, in code-point order', async ({ storage }) => {
      assert.deepEqual(await storage.users.all(), []);
      for (const name of ['carol', '🎧', 'alice', 'Eve', '～', 'dave', '_bob']) await addUser(storage, name);
      assert.deepEqual(
        (await storage.users.all()).map(({ name }) => name),
        ['Eve', '_bob', 'alice', 'carol', 'dave', '～', '🎧'],
      );
    });

    test('works with many users', async ({ storage }) => {
      const names = Array.from({ length: 600 }, (_, n) => `user ${100 + n}`);
      await Promise.all(names.map((name) => addUser(storage, name)));
      assert.deepEqual(
        (await storage.users.all()).map(({ name }) => name),
        names,
      );
    });

    test('returns complete users', async ({ storage }) => {
      const alice = await storage.users.create(ALICE);
      await addUser(storage, 'bob');
      assert.deepEqual((await storage.users.all())[0], alice);
    });
  });

  describe('a new password', () => {
    test('replaces the hash and nothing else', async ({ storage, clock }) => {
      const alice = await storage.users.create(ALICE);
      const bob = await addUser(storage, 'bob');
      clock.at += 60;
      await storage.users.update(alice.id, { passwordHash: 'new hash' });
      assert.deepEqual(await storage.users.find('alice'), { ...alice, passwordHash: 'new hash' });
      assert.notEqual((await storage.users.find('bob'))?.passwordHash, 'new hash');
      assert.equal((await storage.users.find('bob'))?.id, bob);
    });

    test('ends the sessions of the user and no others', async ({ storage, clock }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      const sessions = ['one', 'two'].map((digest) => session(alice, digest, clock.at + 100));
      const others = session(bob, 'other', clock.at + 100);
      for (const each of [...sessions, others]) await storage.sessions.save(each);
      await storage.users.update(alice, { passwordHash: 'new hash' });
      for (const { digest } of sessions) assert.equal(await storage.sessions.find(digest), undefined);
      assert.deepEqual((await storage.sessions.find(others.digest))?.session, others);

      await storage.sessions.save(sessions[0]!);
      assert.equal((await storage.sessions.find(sessions[0]!.digest))?.user.passwordHash, 'new hash');
    });
  });

  describe('a new e-mail address', () => {
    test('replaces the old one at login', async ({ storage, nowAndReopened }) => {
      const alice = await storage.users.create(ALICE);
      await storage.users.update(alice.id, { email: 'New@example.org' });
      for await (const { users } of nowAndReopened()) {
        assert.equal(await users.find(ALICE.email!), undefined);
        assert.deepEqual(await users.find('new@example.org'), { ...alice, email: 'New@example.org' });
      }
    });

    test('may be removed', async ({ storage, nowAndReopened }) => {
      const { id } = await storage.users.create(ALICE);
      await storage.users.update(id, { email: undefined });
      for await (const { users } of nowAndReopened()) {
        assert.equal(await users.find(ALICE.email!), undefined);
        assert.equal((await users.find(ALICE.name))?.email, undefined);
      }
    });

    test('frees the old one for other accounts', async ({ storage }) => {
      const { id } = await storage.users.create(ALICE);
      await storage.users.update(id, { email: undefined });
      const bob = await storage.users.create({ name: 'bob', email: ALICE.email!, passwordHash: 'hash' });
      assert.equal((await storage.users.find(ALICE.email!))?.id, bob.id);
    });

    test('is refused if another account has it as name or address', async ({ storage }) => {
      await storage.users.create(ALICE);
      const bob = await addUser(storage, 'bob');
      await rejectsWith('conflict', storage.users.update(bob, { email: ALICE.email!.toUpperCase() }));
      await rejectsWith('conflict', storage.users.update(bob, { email: ALICE.name }));
      assert.equal((await storage.users.find('bob'))?.email, undefined);
    });
  });

  describe('a new name', () => {
    test('replaces the old one at login, and nothing else changes', async ({ storage, clock, nowAndReopened }) => {
      const alice = await storage.users.create(ALICE);
      const kept = session(alice.id, 'kept', clock.at + 100);
      await storage.sessions.save(kept);
      await storage.users.update(alice.id, { name: 'Carol' });
      for await (const { users, sessions } of nowAndReopened()) {
        assert.equal(await users.find('Alice'), undefined);
        assert.deepEqual(await users.find('carol'), { ...alice, name: 'Carol' });
        assert.deepEqual(await users.find('zoë.alice@example.org'), { ...alice, name: 'Carol' });
        assert.equal((await sessions.find(kept.digest))?.user.name, 'Carol');
      }
    });

    test('frees the old one for other accounts', async ({ storage }) => {
      const alice = await addUser(storage, 'alice');
      await storage.users.update(alice, { name: 'carol' });
      assert.notEqual(await addUser(storage, 'alice'), alice);
      assert.equal((await storage.users.find('carol'))?.id, alice);
    });

    test('may be the old one in another case', async ({ storage }) => {
      const alice = await storage.users.create(ALICE);
      await storage.users.update(alice.id, { name: 'aLICE' });
      assert.deepEqual(await storage.users.all(), [{ ...alice, name: 'aLICE' }]);
      assert.equal((await storage.users.find('Alice'))?.id, alice.id);
    });

    test("may be the user's own e-mail address", async ({ storage, nowAndReopened }) => {
      const alice = await storage.users.create(ALICE);
      await storage.users.update(alice.id, { name: 'ZOË.alice@example.org' });
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await open.users.all(), [{ ...alice, name: 'ZOË.alice@example.org' }]);
        assert.equal((await open.users.find(ALICE.email!))?.id, alice.id);
      }
    });

    for (const taken of ['ALICE', 'ZOË.ALICE@example.org']) {
      test(`is refused if another account has it: ${taken}`, async ({ storage }) => {
        const alice = await storage.users.create(ALICE);
        const bob = await addUser(storage, 'bob');
        await rejectsWith('conflict', storage.users.update(bob, { name: taken }));
        assert.equal((await storage.users.find('bob'))?.id, bob);
        assert.deepEqual(await storage.users.find(taken), alice);
      });
    }
  });
};
