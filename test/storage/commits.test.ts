import { describe, expect, it } from 'vitest';
import { MAX_VALUE_BYTES } from '../../src/storage/contract.ts';
import { Cluster } from './nodes.ts';
import { action, actions, add, addUser, feed, feeds, readActions, remove } from './suite/samples.ts';
import { exportUser } from './suite/transfer/samples.ts';

const ACCOUNT = { kind: 'account' } as const;

describe('the calls of the key-value store', () => {
  for (const isShared of [false, true]) {
    const which = isShared ? 'several nodes' : 'one node';

    it(`an upload to a cached account is one commit without a read: ${which}`, async () => {
      const { storage, store } = await new Cluster().open(isShared);
      const alice = await addUser(storage);
      const batches: string[][] = [];
      store.before = (_, batch) => void (batch?.set && batches.push(batch.set.map(([key]) => key.slice(0, 2))));
      await storage.actions.append(alice, actions(30, 1, { device: 'phone' }));
      store.calls = [];
      await storage.actions.append(alice, actions(30, 31, { device: 'phone' }));
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      store.calls = [];
      await storage.actions.append(alice, actions(30, 61, { device: 'phone' }));
      await storage.actions.append(alice, [action(12, { device: 'phone', timestamp: 1 })]);
      await storage.subscriptions.apply(alice, 'phone', add(feed(2)));
      expect(store.calls).toEqual(['commit', 'commit', 'commit']);
      expect(batches.at(-3)).toEqual(['u/', 'l/']);
    });

    it(`actions on new feeds are one commit without a read, also with private subscriptions: ${which}`, async () => {
      const { storage, store } = await new Cluster().open(isShared);
      const alice = await addUser(storage);
      const hidden = { kind: 'podcast', podcast: feed(1) } as const;
      await storage.settings.update(alice, hidden, { set: { public_subscription: false }, remove: [], limit: 9 });
      await storage.devices.save(alice, 'phone', {});
      store.calls = [];
      await storage.actions.append(alice, [action(1, { podcast: feed(2), device: 'phone' })]);
      expect(store.calls).toEqual(['commit']);
    });

    it(`a read that finds nothing new ${isShared ? 'takes the head' : 'takes nothing'}: ${which}`, async () => {
      const { storage, store } = await new Cluster().open(isShared);
      const alice = await addUser(storage);
      const mark = await storage.actions.append(alice, actions(30, 1, { device: 'phone' }));
      await storage.subscriptions.since(alice, 'phone', 0);
      await storage.users.find('alice');
      store.calls = [];
      expect(await readActions(storage, alice, { since: mark })).toEqual([]);
      expect(store.calls).toEqual(isShared ? ['get'] : []);
      store.calls = [];
      await storage.subscriptions.since(alice, 'phone', mark);
      expect(store.calls).toEqual(isShared ? ['get'] : []);
      store.calls = [];
      await storage.users.find('ALICE');
      expect(store.calls).toEqual(isShared ? ['get'] : []);
    });
  }

  it('a move of a list that is already at that end is no commit', async () => {
    const { storage, store } = await new Cluster().open();
    const alice = await addUser(storage);
    for (const name of ['a', 'b']) await storage.lists.create(alice, { name, title: name, urls: [feed(1)] });
    store.calls = [];
    expect(await storage.lists.move(alice, 'a', -1)).toBe(true);
    expect(await storage.lists.move(alice, 'b', 1)).toBe(true);
    expect(store.calls).not.toContain('commit');
  });

  it('a node that knows the lists of an account does not read them after an upload of actions to another node', async () => {
    const cluster = new Cluster();
    const [one, two] = [await cluster.open(), await cluster.open()];
    const alice = await addUser(one.storage);
    const mark = await one.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await two.storage.subscriptions.since(alice, 'phone', mark);
    await one.storage.actions.append(alice, actions(30, 1, { device: 'phone' }));
    two.store.calls = [];
    await two.storage.subscriptions.since(alice, 'phone', mark);
    expect(two.store.calls.filter((call) => call === 'list')).toEqual([]);
  });

  it('a change of a long list writes little, except for one in a few hundred', async () => {
    const { storage, store } = await new Cluster().open();
    const alice = await addUser(storage);
    await storage.subscriptions.replace(alice, 'phone', feeds(20_000));
    const sizes: number[] = [];
    store.before = (_, batch) => {
      if (batch?.set) sizes.push(batch.set.reduce((sum, [, value]) => sum + value.length, 0));
    };
    for (let n = 0; n < 400; n += 1) {
      const change = n % 2 === 0 ? add(feed(`new ${n}`)) : remove(feed(n));
      await storage.subscriptions.apply(alice, 'phone', change);
    }
    expect(sizes).toHaveLength(400);
    expect(sizes.filter((size) => size > 1500)).toHaveLength(1);
    expect(await storage.subscriptions.current(alice)).toHaveLength(20_000);
  });
});

/** Bytes of the largest value. */
const largestIn = ({ database }: Cluster): number =>
  [...database.entries.values()].reduce((largest, { value }) => Math.max(largest, Buffer.byteLength(value)), 0);

describe('large data', () => {
  it('30,000 new feeds are one commit of 60,000 keys, and can be removed', async () => {
    const cluster = new Cluster();
    const { storage, store } = await cluster.open();
    const alice = await addUser(storage);
    let largest = 0;
    store.before = (_, batch) => {
      const { set = [], delete: deleted = [] } = batch ?? {};
      largest = Math.max(largest, set.length + deleted.length);
    };
    const mark = await storage.subscriptions.replace(alice, 'phone', feeds(30_000));
    expect(largest).toBeGreaterThan(60_000);
    const { storage: other } = await cluster.open();
    expect((await other.subscriptions.since(alice, 'phone', 0)).items).toHaveLength(30_000);
    expect((await other.subscriptions.since(alice, 'phone', mark)).items).toEqual([]);
    await other.users.delete(alice);
    expect(cluster.keysOf(alice)).toEqual([]);
  });

  it('100,000 feeds of 100 bytes, long histories and long lists take values that any plugin takes', async () => {
    const cluster = new Cluster();
    const { storage } = await cluster.open();
    const alice = await addUser(storage);
    const urls = Array.from({ length: 100_000 }, (_, n) => feed(n).padEnd(100, 'x'));
    await storage.subscriptions.replace(alice, 'phone', urls);
    await storage.lists.create(alice, {
      name: 'long',
      title: '',
      urls: feeds(1000).map((url) => url.padEnd(8192, 'x')),
    });
    const episode = feed(1).padEnd(8192, 'é');
    const long = Array.from({ length: 2000 }, (_, n) => action(n, { episode: `${episode}${n}` }));
    await storage.actions.append(alice, long);
    expect(largestIn(cluster)).toBeLessThanOrEqual(MAX_VALUE_BYTES / 2);

    const { storage: other } = await cluster.open();
    expect(await other.subscriptions.current(alice)).toEqual(urls);
    expect((await other.lists.find(alice, 'long'))?.urls).toHaveLength(1000);
    expect(await readActions(other, alice)).toEqual(long);
    const records = await exportUser(other, alice);
    await other.users.delete(alice);
    await other.transfer.importUser(
      (async function* () {
        yield records;
      })(),
    );
    expect(largestIn(cluster)).toBeLessThanOrEqual(MAX_VALUE_BYTES / 2);
  }, 600_000); // 400,000 keys, four times

  it('a value of the maximum size is stored, a larger one is refused before it reaches the plugin', async () => {
    const cluster = new Cluster();
    const { storage, store } = await cluster.open();
    const alice = await addUser(storage);
    const update = (length: number): Promise<unknown> =>
      storage.settings.update(alice, ACCOUNT, { set: { a: 'x'.repeat(length) }, remove: [], limit: 9 });
    await update(1);
    const key = cluster.keysOf(alice).find((each) => each.includes('/settings/'));
    const room = MAX_VALUE_BYTES - Buffer.byteLength(cluster.database.entries.get(key!)!.value) + 1;
    await update(room);
    expect(Buffer.byteLength(cluster.database.entries.get(key!)!.value)).toBe(MAX_VALUE_BYTES);
    store.calls = [];
    await expect(update(room + 1)).rejects.toMatchObject({ code: 'full' });
    expect(store.calls).not.toContain('commit');
    expect(await storage.settings.get(alice, ACCOUNT)).toEqual({ a: 'x'.repeat(room) });
  });
});
