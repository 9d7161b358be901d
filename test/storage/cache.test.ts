import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Url } from '../../src/domain/types.ts';
import { Accounts } from '../../src/storage/accounts/accounts.ts';
import { withUpload } from '../../src/storage/accounts/head.ts';
import { openMemoryStore } from './memory-store.ts';
import { Cluster } from './nodes.ts';
import { action, add, addUser, feed, feeds, readNumbers, session } from './suite/samples.ts';

it('accounts that have grown in memory evict others', async () => {
  const cluster = new Cluster();
  const { storage } = await cluster.open();
  const users = await Promise.all(Array.from({ length: 20 }, (_, n) => addUser(storage, `user ${n}`)));
  for (const user of users) await storage.subscriptions.replace(user, 'phone', feeds(300));
  await storage.close();

  const store = openMemoryStore(cluster.database, false);
  const accounts = new Accounts(store, 1_000_000);
  const count = (user: (typeof users)[0]): Promise<number> =>
    accounts.read(user, ['subscriptions'], (_, { subscriptions }) => subscriptions.current().length);
  for (const user of users) await accounts.read(user, [], () => undefined); // all are small at first
  for (const user of users) expect(await count(user)).toBe(300);
  store.calls = [];
  expect(await count(users.at(-1)!)).toBe(300);
  expect(store.calls).toEqual([]);
  expect(await count(users[0]!)).toBe(300);
  expect(store.calls).toEqual(['get', 'list']);
});

it('long addresses count: accounts that have many of them evict others', async () => {
  const cluster = new Cluster();
  const { storage } = await cluster.open();
  const [subscriber, listener] = [await addUser(storage, 'subscriber'), await addUser(storage, 'listener')];
  const long = (n: number): Url => `https://podcasts.example/${'x'.repeat(8000)}/${n}`;
  const podcasts = Array.from({ length: 100 }, (_, n) => long(n));
  await storage.subscriptions.replace(subscriber, 'phone', podcasts);
  await storage.close();

  const store = openMemoryStore(cluster.database, false);
  const accounts = new Accounts(store, 500_000);
  for (const user of [subscriber, listener]) {
    const isRead = async (): Promise<boolean> => {
      store.calls = [];
      await accounts.read(user, ['subscriptions'], () => undefined);
      return store.calls.length > 0;
    };
    await isRead();
    expect(await isRead()).toBe(user === subscriber); // it does not fit into the cache
  }
});

it('a read does not wait for an upload that is being stored', async () => {
  const { storage, store } = await new Cluster().open(false);
  const alice = await addUser(storage);
  await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
  const stored = setImmediate();
  store.before = (call) => (call === 'commit' ? stored : undefined);
  const upload = storage.subscriptions.apply(alice, 'phone', add(feed(2)));
  expect(await storage.subscriptions.current(alice)).toEqual([feed(1)]);
  await upload;
  expect(await storage.subscriptions.current(alice)).toEqual([feed(1), feed(2)]);
});

it('an upload that is being stored while the stable time is read is found, or is above that time', async () => {
  const cluster = new Cluster();
  const { storage, store } = await cluster.open(false);
  const alice = await addUser(storage);
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  store.before = (call) => (call === 'commit' ? held : undefined);
  const upload = storage.actions.append(alice, [action(1)]);
  await setImmediate();
  cluster.at += 10;
  const stableUntil = storage.users.stableUntil(alice);
  const before = stableUntil.then(() => readNumbers(storage, alice));
  await setImmediate();
  release();
  await upload;
  const after = await readNumbers(storage, alice, { since: await stableUntil });
  expect([...(await before), ...after]).toContain(1);
});

it('a change on a node whose clock is behind is above the stable time that another node has named', async () => {
  const cluster = new Cluster();
  const [{ storage }, other] = [await cluster.open(), await cluster.open()];
  const alice = await addUser(storage);
  cluster.at += 100;
  const since = await storage.users.stableUntil(alice);
  cluster.at -= 30;
  await other.storage.actions.append(alice, [action(1)]);
  expect(await readNumbers(storage, alice, { since })).toEqual([1]);
});

it('a list that is created or deleted while it is read does not exist', async () => {
  const { storage, store } = await new Cluster().open();
  const alice = await addUser(storage);
  const findDuring = async (change: () => Promise<unknown>) => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    vi.spyOn(store, 'list').mockImplementationOnce(async (range) => {
      await held;
      return store.list(range);
    });
    const finding = storage.lists.find(alice, 'news');
    await setImmediate();
    await change();
    release();
    return finding;
  };
  const create = () => storage.lists.create(alice, { name: 'news', title: 'News', urls: [feed(1)] });
  expect(await findDuring(create)).toBeUndefined();
  expect(await findDuring(() => storage.lists.delete(alice, 'news'))).toBeUndefined();
});

it('a session that ends while it is being read is not found afterwards', async () => {
  const cluster = new Cluster();
  const { storage, store } = await cluster.open(false);
  const saved = session(await addUser(storage), 'one', cluster.at + 100);
  await storage.sessions.save(saved);
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { get } = store;
  vi.spyOn(store, 'get').mockImplementationOnce(async (keys) => {
    const found = await get(keys);
    await held;
    return found;
  });
  const finding = storage.sessions.find(saved.digest);
  await storage.sessions.delete(saved.digest);
  release();
  await finding;
  expect(await storage.sessions.find(saved.digest)).toBeUndefined();
});

it('few overlapping uploads are kept, even for an overlap of a day', () => {
  const day = 86_400;
  let uploads: ReturnType<typeof withUpload> = [];
  for (let at = 0; at < 3 * day; at += 100) uploads = withUpload(uploads, [at, at, 1 + (at % 3)], day);
  expect(uploads.length).toBeLessThanOrEqual(2 * 121);
  expect(uploads[0]![0]).toBeGreaterThan(2 * day - 2000);
  expect(uploads[0]![0]).toBeLessThan(2 * day + 100);
});
