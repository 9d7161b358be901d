import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { loginKey } from '../../src/storage/accounts/account-keys.ts';
import { subscriptionKey } from '../../src/storage/directory/keys.ts';
import { urlDigest } from '../../src/storage/keys.ts';
import { openMemoryStore } from './memory-store.ts';
import { Cluster, type Node } from './nodes.ts';
import { recordFeed } from './suite/directory/samples.ts';
import { action, actions, add, addUser, feed, feeds, readActions, readNumbers, remove } from './suite/samples.ts';
import { exportUser } from './suite/transfer/samples.ts';

const openTwo = async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.open(), await cluster.open()];
  const alice = await addUser(one.storage);
  return { cluster, one, two, alice };
};

const SETTING = { set: { a: 1 }, remove: [], limit: 10 };

describe('a node with a cached account', () => {
  it('sees what another node stores', async () => {
    const { one, two, alice } = await openTwo();
    const mark = await one.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    expect((await two.storage.subscriptions.since(alice, 'phone', mark)).items).toEqual([]);

    const next = await one.storage.subscriptions.apply(alice, 'phone', add(feed(2)));
    await one.storage.actions.append(alice, [action(1)]);
    await one.storage.devices.save(alice, 'tv', { caption: 'TV' });
    await one.storage.settings.update(alice, { kind: 'account' }, SETTING);
    await one.storage.users.update(alice, { passwordHash: 'new' });

    const { items } = await two.storage.subscriptions.since(alice, 'phone', mark);
    expect(items).toEqual(add(feed(2)));
    expect((await two.storage.subscriptions.since(alice, 'phone', next)).items).toEqual([]);
    expect(await readNumbers(two.storage, alice, { since: next })).toEqual([1]);
    expect((await two.storage.devices.find(alice, 'tv'))?.caption).toBe('TV');
    expect(await two.storage.settings.get(alice, { kind: 'account' })).toEqual({ a: 1 });
    expect((await two.storage.users.find('alice'))?.passwordHash).toBe('new');
  });

  it('does not use cached data that another node has removed', async () => {
    const { one, two, alice } = await openTwo();
    await one.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    await two.storage.subscriptions.replace(alice, 'phone', []);
    const mark = await one.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    expect(await two.storage.subscriptions.current(alice)).toEqual([feed(1)]);
    expect((await two.storage.subscriptions.since(alice, 'phone', mark)).items).toEqual([]);
    await one.storage.devices.delete(alice, 'phone');
    expect(await two.storage.devices.find(alice, 'phone')).toBeUndefined();
    expect(await two.storage.subscriptions.current(alice)).toEqual([]);

    await one.storage.lists.create(alice, { name: 'news', title: '', urls: [] });
    await two.storage.lists.delete(alice, 'news');
    await one.storage.lists.create(alice, { name: 'news', title: 'again', urls: [] });
    expect((await two.storage.lists.find(alice, 'news'))?.title).toBe('again');
  });

  it('refuses nothing because of outdated data', async () => {
    const { one, two, alice } = await openTwo();
    await one.storage.devices.save(alice, 'phone', {});
    await two.storage.devices.save(alice, 'tv', {});
    expect(await one.storage.devices.synchronize(alice, [['phone', 'tv']], [])).toEqual([['phone', 'tv']]);
  });

  it('does not store an action again that another node has stored', async () => {
    const { one, two, alice } = await openTwo();
    for (let round = 0; round < 5; round += 1) {
      const batch = actions(30, 1 + round * 30);
      await one.storage.actions.append(alice, batch);
      await two.storage.actions.append(alice, [...batch, action(1000 + round)]);
      await one.storage.actions.append(alice, [action(1000 + round), ...batch.toReversed()]);
    }
    const stored = await readNumbers(one.storage, alice);
    expect(stored).toHaveLength(5 * 31);
    expect(new Set(stored).size).toBe(5 * 31);
  });

  it('does not store an action again that another node has stored between two uploads here', async () => {
    const { one, two, alice } = await openTwo();
    await one.storage.actions.append(alice, [action(2), action(1)]);
    await two.storage.actions.append(alice, [action(3)]);
    await one.storage.actions.append(alice, [action(4)]);
    await one.storage.actions.append(alice, [action(3)]);
    expect(await readNumbers(one.storage, alice)).toEqual([2, 1, 3, 4]);
  });

  it('does not find an account that another node has removed or renamed', async () => {
    const { one, two, alice } = await openTwo();
    await two.storage.users.find('alice');
    await one.storage.users.update(alice, { name: 'carol' });
    expect(await two.storage.users.find('alice')).toBeUndefined();
    expect((await two.storage.users.find('carol'))?.id).toBe(alice);
    const next = await addUser(one.storage, 'alice');
    expect((await two.storage.users.find('alice'))?.id).toBe(next);
    await one.storage.users.delete(alice);
    expect(await two.storage.users.find('carol')).toBeUndefined();
    await expect(two.storage.subscriptions.apply(alice, 'phone', add(feed(1)))).rejects.toMatchObject({
      code: 'missing',
    });
  });
});

describe('a list read while another node writes it', () => {
  for (const [what, changes] of [
    ['once', 1],
    ['until its log is written into it', 70],
  ] as const) {
    it(`${what} loses nothing for a client that requests it again`, async () => {
      const { cluster, one, alice } = await openTwo();
      await one.storage.subscriptions.apply(alice, 'phone', add(...feeds(10)));
      for (const call of ['get', 'list'] as const) {
        const cold = await cluster.open();
        const before = await one.storage.subscriptions.current(alice, 'phone');
        const added = feeds(changes, 1000 * (call === 'get' ? 1 : 2));
        cold.store.before = async (each) => {
          if (each !== call) return;
          cold.store.before = undefined;
          for (const url of added) await one.storage.subscriptions.apply(alice, 'phone', add(url));
          await one.storage.subscriptions.apply(alice, 'phone', remove(feed(call === 'get' ? 1 : 2)));
        };
        const first = await cold.storage.subscriptions.since(alice, 'phone', 0);
        const second = await cold.storage.subscriptions.since(alice, 'phone', first.mark);
        const heard = new Map([...first.items, ...second.items].map(({ url, subscribed }) => [url, subscribed]));
        const current = [...before, ...added].filter((url) => url !== feed(call === 'get' ? 1 : 2));
        expect([...heard].filter(([, subscribed]) => subscribed).map(([url]) => url)).toEqual(
          expect.arrayContaining(current),
        );
        expect(await cold.storage.subscriptions.current(alice, 'phone')).toEqual(current);
      }
    });
  }
});

describe('two nodes writing for one user', () => {
  it('return rising marks in turn, and each sees what both stored', async () => {
    const { one, two, alice } = await openTwo();
    let last = 0;
    for (let n = 1; n <= 60; n += 1) {
      const { storage } = n % 2 === 0 ? one : two;
      const mark =
        n % 3 === 0
          ? await storage.actions.append(alice, [action(n, { device: 'phone' })])
          : await storage.subscriptions.apply(alice, 'phone', add(feed(n)));
      expect(mark).toBeGreaterThan(last + 1);
      last = mark;
    }
    for (const { storage } of [one, two]) {
      expect(await storage.subscriptions.current(alice)).toHaveLength(40);
      expect(await readActions(storage, alice)).toHaveLength(20);
    }
    expect(await exportUser(one.storage, alice)).toEqual(await exportUser(two.storage, alice));
  });

  it('store 200 concurrent uploads, each under its own stamp', async () => {
    const { one, two, alice } = await openTwo();
    const uploads = Array.from({ length: 200 }, (_, n) => {
      const { storage } = n % 2 === 0 ? one : two;
      return n % 4 < 2
        ? storage.actions.append(alice, [action(n, { device: 'phone' })])
        : storage.subscriptions.apply(alice, 'phone', add(feed(n)));
    });
    const marks = await Promise.all(uploads);
    expect(new Set(marks).size).toBe(200);
    for (const { storage } of [one, two]) {
      expect(await storage.subscriptions.current(alice)).toHaveLength(100);
      expect(await readActions(storage, alice)).toHaveLength(100);
    }
  });

  it('count a session that is extended on both, and end it on both', async () => {
    const { cluster, one, two, alice } = await openTwo();
    const session = { digest: 'one', user: alice, expiresAt: cluster.at + 100 };
    await one.storage.sessions.save(session);
    expect((await two.storage.sessions.find('one'))?.user.name).toBe('alice');
    const both = [one, two].map(({ storage }) => storage.sessions.update('one', { expiresAt: cluster.at + 200 }));
    expect(await Promise.all(both)).toEqual([true, true]);
    await two.storage.users.update(alice, { passwordHash: 'new' });
    expect(await one.storage.sessions.find('one')).toBeUndefined();
    expect(await one.storage.sessions.update('one', { expiresAt: cluster.at + 300 })).toBe(false);
  });
});

it('an export ends, although the account uploads to the same node without a pause', async () => {
  const { one, alice } = await openTwo();
  await one.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
  const uploads: Promise<unknown>[] = [];
  one.store.before = (call) => {
    if (call !== 'list' || uploads.length === 100) return;
    uploads.push(one.storage.actions.append(alice, [action(uploads.length)]));
  };
  const records = await exportUser(one.storage, alice);
  expect(uploads.length).toBeLessThan(20);
  expect(records).toContainEqual(expect.objectContaining({ kind: 'subscription', url: feed(1) }));
  await Promise.all(uploads);
});

it('a podcast that moved on another node stays private when its subscriber changes the privacy of another one', async () => {
  const { one, two, alice } = await openTwo();
  await one.storage.subscriptions.apply(alice, 'phone', add(feed(1), feed(2)));
  const mark = (node: Node, n: number): Promise<unknown> =>
    node.storage.settings.update(
      alice,
      { kind: 'podcast', podcast: feed(n) },
      { set: { public_subscription: false }, remove: [], limit: 1 },
    );
  await mark(one, 3);
  await recordFeed(two.storage, 2, {}, [], { movedTo: feed(3) });
  await mark(one, 1);
  for (const { storage } of [one, two]) {
    await storage.podcasts.recommendations(alice, 9); // reads what the other node has stored
    expect(await storage.podcasts.findListed(feeds(3))).toEqual([undefined, undefined, undefined]);
  }
});

it.each([false, true])(
  'a podcast that moves while its new address is marked as private is private, shared: %s',
  async (isShared) => {
    const { storage, store } = await new Cluster().open(isShared);
    const alice = await addUser(storage);
    await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    let moved: Promise<unknown> | undefined;
    store.before = async (call) => {
      if (call !== 'commit' || moved) return;
      moved = recordFeed(storage, 1, {}, [], { movedTo: feed(2) });
      for (let turn = 0; turn < 50; turn++) await setImmediate();
    };
    const mark = { set: { public_subscription: false }, remove: [], limit: 1 };
    await storage.settings.update(alice, { kind: 'podcast', podcast: feed(2) }, mark);
    await moved;
    expect(await storage.podcasts.findListed([feed(2)])).toEqual([undefined]);
  },
);

describe('a rebuild of the toplist', () => {
  it('corrects wrong subscribers on all nodes, also those who do not exist', async () => {
    const { cluster, one, two, alice } = await openTwo();
    await one.storage.subscriptions.replace(alice, 'phone', feeds(3));
    const [first, second] = feeds(2).map((url) => subscriptionKey(urlDigest(url), alice));
    const nobody = subscriptionKey(urlDigest(feed(3)), 'nobody' as UserId);
    await openMemoryStore(cluster.database, true).commit({ set: [[nobody, '1']], delete: [first!, second!] });
    const late = await cluster.open();
    const countsOn = async ({ storage }: Node) =>
      (await storage.podcasts.find(feeds(3))).map((podcast) => podcast?.subscribers);
    expect(await countsOn(late)).toEqual([0, 0, 2]);
    expect(await late.storage.podcasts.rebuildToplist()).toEqual({ podcasts: 3, corrected: 3 });
    for (const node of [one, two, late, await cluster.open()]) {
      expect(await node.storage.podcasts.rebuildToplist()).toEqual({ podcasts: 3, corrected: 0 });
      expect(await countsOn(node)).toEqual([1, 1, 1]);
    }
  });

  it('corrects nothing that other nodes change meanwhile', async () => {
    const { one, two, alice } = await openTwo();
    let n = 0;
    two.store.before = async (call) => {
      if (call !== 'list' || n === 9) return;
      n += 1;
      await one.storage.subscriptions.apply(alice, 'phone', add(feed(n)));
      if (n > 1) await one.storage.subscriptions.apply(alice, 'phone', remove(feed(n - 1)));
    };
    for (let round = 0; round < 3; round += 1) {
      expect(await two.storage.podcasts.rebuildToplist()).toMatchObject({ corrected: 0 });
    }
    expect(n).toBe(9);
    expect(await two.storage.podcasts.find([feed(8), feed(9)])).toMatchObject([{ subscribers: 0 }, { subscribers: 1 }]);
  });
});

it('a check does not report an account that another node renames meanwhile', async () => {
  const { one, two, alice } = await openTwo();
  const { get } = one.store;
  one.store.get = async (keys) => {
    if (keys.includes(loginKey('alice'))) await two.storage.users.update(alice, { name: 'carol' });
    return get(keys);
  };
  await one.storage.verify();
  expect((await one.storage.users.find('carol'))?.id).toBe(alice);
});

it('attempts are removed from the database when they have expired, whichever node counted them', async () => {
  const { cluster, one, two } = await openTwo();
  const stored = (): number => cluster.database.keys.filter((key) => key.startsWith('x/')).length;
  for (const [name, within] of [
    ['an address', 300],
    ['a network', 86_400],
  ] as const) {
    await one.storage.attempts.add(name, { most: 10, within });
  }
  expect(stored()).toBe(2);
  cluster.at += 300;
  await two.storage.attempts.add('another address', { most: 10, within: 300 });
  await expect.poll(stored).toBe(2);
  cluster.at += 86_400;
  await one.storage.attempts.add('another address', { most: 10, within: 300 });
  await expect.poll(stored).toBe(1);
});

it('no attempt waits for the removal of others, which may be many', async () => {
  const { cluster, one } = await openTwo();
  const limit = { most: 1, within: 1000 };
  await one.storage.attempts.add('an address', limit);
  cluster.at += 300;
  one.store.list = () => new Promise(() => undefined);
  expect(await one.storage.attempts.add('an address', limit)).toBe(700);
});
