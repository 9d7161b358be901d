import { describe, expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import type { Batch } from '../../src/storage/contract.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { Storage } from '../../src/storage/stores.ts';
import { openMemoryStore } from './memory-store.ts';
import { Cluster } from './nodes.ts';
import { episode, episodeNumbers, recordFeed } from './suite/directory/samples.ts';
import { action, actions, add, addUser, feed, feeds, readNumbers, subscribe } from './suite/samples.ts';

const WRITES: readonly (readonly [string, (storage: Storage, user: UserId) => Promise<unknown>])[] = [
  ['episode actions', ({ actions: store }, user) => store.append(user, actions(30, 1, { device: 'phone' }))],
  ['a delta', ({ subscriptions }, user) => subscriptions.apply(user, 'phone', add(feed(1)))],
  ['a whole list', ({ subscriptions }, user) => subscriptions.replace(user, 'phone', feeds(2000))],
  ['a device', ({ devices }, user) => devices.save(user, 'phone', { caption: 'My phone' })],
  [
    'a setting',
    ({ settings }, user) => settings.update(user, { kind: 'account' }, { set: { a: 1 }, remove: [], limit: 9 }),
  ],
  ['a list', ({ lists }, user) => lists.create(user, { name: 'news', title: 'News', urls: feeds(3) })],
  ['a new name', ({ users }, user) => users.update(user, { name: 'carol' })],
  ['an account', ({ users }) => users.create({ name: 'bob', passwordHash: 'hash' }).then(({ name }) => name)],
];

describe('a commit whose answer is lost', () => {
  for (const isShared of [false, true]) {
    for (const [what, write] of WRITES) {
      it(`is recognized: ${what}, ${isShared ? 'several nodes' : 'one node'}`, async () => {
        const [lost, usual] = [new Cluster(), new Cluster()];
        const { storage, store } = await lost.open(isShared);
        const alice = await addUser(storage);
        store.lostAnswers = 1;
        const result = await write(storage, alice);
        expect(store.lostAnswers).toBe(0);

        const { storage: other } = await usual.open(isShared);
        expect(result).toEqual(await write(other, await addUser(other)));
        expect(lost.database.version).toBe(usual.database.version);
        await storage.subscriptions.apply(alice, 'tv', add(feed(7)));
        expect(await storage.subscriptions.current(alice, 'tv')).toEqual([feed(7)]);
      });
    }
  }

  for (const isShared of [false, true]) {
    it(`of a removal fails it, but the account no longer exists: ${isShared ? 'several nodes' : 'one node'}`, async () => {
      const { storage, store } = await new Cluster().open(isShared);
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      expect((await storage.users.find('alice'))?.id).toBe(alice);
      store.lostAnswers = 1;
      await expect(storage.users.delete(alice)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await storage.users.find('alice')).toBeUndefined();
      await expect(storage.subscriptions.current(alice)).rejects.toMatchObject({ code: 'missing' });
      await storage.users.delete(alice);
      const successor = await addUser(storage);
      expect((await storage.users.find('alice'))?.id).toBe(successor);
    });
  }

  it('of the result of a feed fails it, but it is stored, and so is the next one', async () => {
    const { storage, store } = await new Cluster().open(false);
    await subscribe(storage, 1);
    store.lostAnswers = 1;
    await expect(recordFeed(storage, 1, {}, [episode(1)])).rejects.toThrow(StorageError);
    await recordFeed(storage, 1, {}, [episode(2)]);
    expect(await episodeNumbers(storage)).toEqual([2, 1]);
  });

  it('is stored once, even if another node writes before it is checked', async () => {
    const cluster = new Cluster();
    const [one, two] = [await cluster.open(), await cluster.open()];
    const alice = await addUser(one.storage);
    one.store.lostAnswers = 1;
    one.store.before = async (call) => {
      if (call !== 'get' || one.store.lostAnswers > 0) return;
      one.store.before = undefined;
      await two.storage.actions.append(alice, [action(99)]);
    };
    await one.storage.actions.append(alice, actions(30));
    expect(await readNumbers(two.storage, alice)).toEqual([...Array.from({ length: 30 }, (_, n) => n + 1), 99]);
  });

  it('may be stored only after the next attempt, and skips no later change of another device', async () => {
    const cluster = new Cluster();
    const [one, two] = [await cluster.open(), await cluster.open()];
    const alice = await addUser(one.storage);
    const sent: Batch[] = [];
    one.store.before = async (call, batch) => {
      if (call !== 'commit') return;
      sent.push(batch!);
      if (sent.length === 1) cluster.at += 5;
      else await openMemoryStore(cluster.database, true).commit(sent[0]!);
      throw new StorageError('unavailable', 'the answer was lost');
    };
    const mark = await one.storage.actions.append(alice, [action(1)]);
    expect(sent).toHaveLength(2);
    await two.storage.actions.append(alice, [action(2)]);
    expect(await readNumbers(two.storage, alice)).toEqual([1, 2]);
    expect(await readNumbers(two.storage, alice, { since: mark })).toEqual([2]);
  });

  it('is recognized if it is stored while the next attempt reads what it has changed', async () => {
    const cluster = new Cluster();
    const { storage, store } = await cluster.open();
    const alice = await addUser(storage);
    let late: Batch | undefined;
    let reads = 0;
    store.before = async (call, batch) => {
      if (call === 'commit') {
        late = batch;
        throw new StorageError('unavailable', 'the answer was lost');
      }
      if (!late || (reads += 1) < 2) return; // the first one reads the head, the next attempt the lists
      store.before = undefined;
      await openMemoryStore(cluster.database, true).commit(late);
    };
    await storage.lists.create(alice, { name: 'news', title: 'News', urls: feeds(3) });
    expect(store.before).toBeUndefined();
    expect(await storage.lists.all(alice)).toEqual([{ name: 'news', title: 'News' }]);
  });

  it.each([false, true])(
    'is an error if the storage is unavailable, and its data exists afterwards, shared: %s',
    async (isShared) => {
      const { storage, store } = await new Cluster().open(isShared);
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      store.lostAnswers = 1;
      store.before = (call) => {
        if (call === 'get' && store.lostAnswers === 0) throw new StorageError('unavailable', 'no connection');
      };
      await expect(storage.subscriptions.apply(alice, 'phone', add(feed(2)))).rejects.toMatchObject({
        code: 'unavailable',
      });
      store.before = undefined;
      expect(await storage.subscriptions.current(alice)).toEqual([feed(1), feed(2)]);
      expect(await storage.podcasts.find([feed(2)])).toMatchObject([{ subscribers: 1 }]);
    },
  );

  it('is an error after a few attempts if the storage can be read but stores nothing', async () => {
    const { storage, store } = await new Cluster().open();
    const alice = await addUser(storage);
    let commits = 0;
    store.before = (call) => {
      if (call !== 'commit') return;
      commits += 1;
      throw new StorageError('unavailable', 'the database is read-only');
    };
    await expect(storage.actions.append(alice, actions(30))).rejects.toThrow('the database is read-only');
    expect(commits).toBeLessThan(10);
    store.before = undefined;
    await storage.actions.append(alice, [action(31)]);
    expect(await readNumbers(storage, alice)).toEqual([31]);
  });
});
