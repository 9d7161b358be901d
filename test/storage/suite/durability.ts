import assert from 'node:assert/strict';
import { isStorageError } from '../../../src/storage/errors.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import type { Suite } from './bench.ts';
import { action, actions, add, addUser, feed, feeds, readActions, readNumbers, remove, session } from './samples.ts';

const NAMES = ['alice', 'bob', 'carol'];

/** Writes of every kind, by several users. */
async function fill(storage: Storage, now: number): Promise<void> {
  for (const name of NAMES) {
    const { id } = await storage.users.create({ name, email: `${name}@example.org`, passwordHash: `hash of ${name}` });
    await storage.devices.save(id, 'phone', { caption: `phone of ${name}`, type: 'mobile' });
    await storage.devices.save(id, 'tv', {});
    await storage.subscriptions.apply(id, 'phone', add(...feeds(20)));
    await storage.subscriptions.apply(id, 'phone', [...remove(feed(3)), ...add(feed('new'))]);
    await storage.subscriptions.replace(id, 'tv', [feed(2), feed('tv')]);
    await storage.actions.append(id, actions(30, 1, { device: 'phone', guid: 'guid' }));
    await storage.actions.append(id, [action(5, { action: 'play', play: { position: 9, started: 3, total: 99 } })]);
    await storage.devices.synchronize(id, [['phone', 'tv']], []);
    await storage.settings.update(id, { kind: 'account' }, { set: { a: 1, b: [name] }, remove: [], limit: 10 });
    await storage.settings.update(id, { kind: 'account' }, { set: {}, remove: ['a'], limit: 10 });
    for (const list of ['news', 'gone']) await storage.lists.create(id, { name: list, title: name, urls: feeds(3) });
    await storage.lists.update(id, 'news', () => ({ urls: feeds(5) }));
    await storage.lists.delete(id, 'gone');
    await storage.sessions.save(session(id, name, now + 100));
    await storage.sessions.save(session(id, `ended ${name}`, now + 100));
    await storage.sessions.delete(session(id, `ended ${name}`, 0).digest);
  }
  const [alice, , carol] = await Promise.all(NAMES.map((name) => storage.users.find(name)));
  await storage.users.delete(carol!.id);
  await storage.devices.save(alice!.id, 'phone', { caption: 'changed' });
}

/** All readable data, including marks. */
async function picture(storage: Storage): Promise<unknown[]> {
  const users = await storage.users.all();
  const digests = NAMES.flatMap((name) => [name, `ended ${name}`]);
  const details = users.map(async ({ id }) => ({
    devices: await storage.devices.all(id),
    all: await storage.subscriptions.current(id),
    phone: await storage.subscriptions.since(id, 'phone', 0),
    tv: await storage.subscriptions.since(id, 'tv', 0),
    actions: await readActions(storage, id),
    mark: (await storage.actions.query(id, {})).mark,
    groups: await storage.devices.groups(id),
    settings: await storage.settings.get(id, { kind: 'account' }),
    lists: await storage.lists.all(id),
    news: await storage.lists.find(id, 'news'),
    sessions: await Promise.all(digests.map((digest) => storage.sessions.find(session(id, digest, 0).digest))),
  }));
  return [users, await Promise.all(details)];
}

export const durabilityTests: Suite = ({ describe, test }) => {
  test('every answered write still exists after reopening twice', async ({ storage, clock, reopen }) => {
    await fill(storage, clock.at);
    const before = await picture(storage);
    assert.deepEqual(await picture(await reopen()), before);
    assert.deepEqual(await picture(await reopen()), before);
  });

  test('a new password hash and an ended session survive reopening', async ({ storage, clock, reopen }) => {
    const alice = await addUser(storage);
    const ended = session(alice, 'one', clock.at + 100);
    await storage.sessions.save(ended);
    await storage.users.update(alice, { passwordHash: 'new hash' });
    const kept = session(alice, 'two', clock.at + 100);
    await storage.sessions.save(kept);
    const reopened = await reopen();
    assert.equal((await reopened.users.find('alice'))?.passwordHash, 'new hash');
    assert.equal(await reopened.sessions.find(ended.digest), undefined);
    assert.deepEqual((await reopened.sessions.find(kept.digest))?.session, kept);
  });

  test('an empty backend reopens', async ({ reopen }) => {
    await reopen();
    const storage = await reopen();
    await storage.ping();
    await addUser(storage);
  });

  describe('closing', () => {
    test('may be called twice, in turn and concurrently', async ({ storage, reopen }) => {
      await addUser(storage);
      await storage.close();
      await storage.close();
      const reopened = await reopen();
      assert.ok(await reopened.users.find('alice'));
      await Promise.all([reopened.close(), reopened.close()]);
      await reopened.close();
      assert.ok(await (await reopen()).users.find('alice'));
    });

    test('waits for running writes: answered ones are stored, refused ones are not', async (bench) => {
      const { storage } = bench;
      const alice = await addUser(storage);
      const writes = Array.from({ length: 30 }, (_, n) => storage.actions.append(alice, actions(5, n * 5)));
      const [results] = await Promise.all([Promise.allSettled(writes), storage.close()]);
      const reopened = await bench.reopen();
      const stored = new Set(await readNumbers(reopened, alice));
      for (const [n, { status }] of results.entries()) {
        const numbers = [0, 1, 2, 3, 4].map((i) => n * 5 + i);
        const there = numbers.filter((number) => stored.has(number)).length;
        assert.equal(there, status === 'fulfilled' ? 5 : 0, `upload ${n} was ${status}`);
      }
    });
  });

  describe('a second process', () => {
    test('gets `busy`, or shares the same data', async ({ storage, openBeside }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      const second = await openBeside().catch((error: unknown) => error as Error);
      if (second instanceof Error) {
        assert.ok(isStorageError(second), `not a StorageError: ${second}`);
        assert.equal(second.code, 'busy');
        await storage.subscriptions.apply(alice, 'phone', add(feed(2)));
        assert.deepEqual(await storage.subscriptions.current(alice), [feed(1), feed(2)]);
        return;
      }
      assert.deepEqual(await second.subscriptions.current(alice), [feed(1)]);
      const both = [storage, second] as const;
      const marks = await Promise.all(
        Array.from({ length: 20 }, (_, n) => both[n % 2]!.actions.append(alice, [action(n, { device: 'phone' })])),
      );
      assert.equal(new Set(marks).size, marks.length, 'a stamp was given out twice');
      const bob = await addUser(second, 'bob');
      for (const open of both) {
        assert.equal((await readActions(open, alice)).length, 20);
        assert.equal((await open.users.find('bob'))?.id, bob);
      }
      await second.close();
      await storage.subscriptions.apply(alice, 'phone', add(feed(2)));
      assert.deepEqual(await storage.subscriptions.current(alice), [feed(1), feed(2)]);
    });

    test('can open the storage after the first has closed it', async ({ storage, openBeside, reopen }) => {
      const alice = await addUser(storage);
      await openBeside().catch(() => undefined);
      assert.equal((await storage.users.find('alice'))?.id, alice);
      const reopened = await reopen();
      assert.equal((await reopened.users.find('alice'))?.id, alice);
    });
  });

  test('ping and verify succeed while it is open', async ({ storage }) => {
    await storage.ping();
    await storage.actions.append(await addUser(storage), actions(5));
    await storage.verify();
  });
};
