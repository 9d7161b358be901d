import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Batch } from '../../src/storage/contract.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { FORMAT_KEY } from '../../src/storage/format.ts';
import { createStorage } from '../../src/storage/storage.ts';
import type { Storage, UserRecord } from '../../src/storage/stores.ts';
import { openMemoryStore } from './memory-store.ts';
import { Cluster } from './nodes.ts';
import { action, actions, add, addUser, feed, feeds, readActions } from './suite/samples.ts';
import { exportUser, createFullAccount, importUser, NAME, pagesOf } from './suite/transfer/samples.ts';

const HOUR = 3600;

/** A cluster whose first node has a large account, and its records. */
const openFurnished = async (isShared: boolean) => {
  const cluster = new Cluster();
  const node = await cluster.open(isShared);
  const alice = await createFullAccount({ storage: node.storage, clock: cluster });
  await node.storage.actions.append(alice, actions(3000, 5000, { podcast: feed('later') }));
  const urls = feeds(1000).map((url) => `${url}?${'x'.repeat(1000)}`);
  for (const name of ['1', '2', '3', '4']) await node.storage.lists.create(alice, { name, title: name, urls });
  return { cluster, ...node, alice, records: await exportUser(node.storage, alice) };
};

/** Makes all calls fail from a commit on, before or after it is stored, as if the process had stopped. */
function stopAt(number: number, isAfter: boolean) {
  let commits = 0;
  return (call: string, batch?: Batch): void => {
    if (call === 'commit') commits += 1;
    const isOver = isAfter ? commits > number : commits >= number;
    if (isOver && (call !== 'commit' || batch)) throw new StorageError('unavailable', 'stopped');
  };
}

/** All keys except those of podcasts, of change notifications and of the storage itself. */
const keysIn = ({ database }: Cluster): string[] =>
  database.keys.filter((key) => !/^[pd]\//.test(key) && key !== FORMAT_KEY);

/** The numbers of subscribers of all podcasts. */
async function countsIn({ podcasts }: Storage): Promise<Set<number | undefined>> {
  const counts = new Set<number | undefined>();
  for (const { url } of await podcasts.feeds()) counts.add((await podcasts.find([url]))[0]?.subscribers);
  return counts;
}

describe('an interrupted removal', () => {
  for (const isShared of [false, true]) {
    it(`shows nothing, and is completed when the storage is opened again, wherever it stopped: ${isShared ? 'nodes' : 'one'}`, async () => {
      for (let number = 1; ; number += 1) {
        const { cluster, storage, store, alice } = await openFurnished(isShared);
        const isDone = await stopped(store, stopAt(number, false), () => storage.users.delete(alice));
        await storage.close();
        cluster.at += HOUR;
        const { storage: next } = await cluster.open(isShared);
        if (number === 1) expect((await next.users.find(NAME))?.id).toBe(alice);
        if (number === 1) continue;
        expect(await next.users.find(NAME)).toBeUndefined();
        expect(keysIn(cluster), `stopped at commit ${number}`).toEqual([]);
        expect(await countsIn(next)).toEqual(new Set([0]));
        await addUser(next, NAME);
        if (isDone) return;
      }
    });
  }
});

describe('an interrupted import', () => {
  for (const isAfter of [false, true]) {
    it(`leaves nothing after the storage is opened again: stopped ${isAfter ? 'after' : 'before'} a commit`, async () => {
      const { storage, alice, records } = await openFurnished(false);
      const empty = new Cluster();
      await storage.users.delete(alice);
      for (let number = 1; ; number += 1) {
        const { storage: target, store } = await empty.open(false);
        const isDone = await stopped(store, stopAt(number, isAfter), () => importUser(target, records));
        await target.close();
        const { storage: next } = await empty.open(false);
        const user = await next.users.find(NAME);
        if (user) expect(await exportUser(next, user.id)).toEqual(records);
        else expect(keysIn(empty), `stopped at commit ${number}`).toEqual([]);
        if (!user) expect(await countsIn(next)).toEqual(new Set());
        await next.close();
        if (isDone || user) return expect(number).toBeGreaterThan(3);
      }
    });
  }

  it('leaves nothing if its first record is not the user', async () => {
    const cluster = new Cluster();
    const { storage } = await cluster.open();
    const group: UserRecord = { kind: 'group', devices: ['phone', 'tv'] };
    for (const records of [[], [group]]) {
      await expect(importUser(storage, records)).rejects.toMatchObject({ code: 'corrupt' });
      expect(keysIn(cluster)).toEqual([]);
    }
  });

  it('is kept while another node renews it, and removed an hour after the last renewal', async () => {
    const { cluster, storage, records } = await openFurnished(true);
    const importer = await cluster.open();
    const renamed = rename(records);
    let pages = 0;
    const slow = async function* (): AsyncGenerator<UserRecord[]> {
      for await (const page of pagesOf(renamed)) {
        pages += 1;
        cluster.at += HOUR / 2;
        await storage.users.removeAbandoned();
        await cluster.open();
        yield page;
      }
    };
    const copy = await importer.storage.transfer.importUser(slow());
    expect(pages).toBeGreaterThan(3);
    expect((await exportUser(storage, copy)).filter(isImported)).toEqual(renamed.filter(isImported));

    const stalled = async function* (): AsyncGenerator<UserRecord[]> {
      yield rename(records, 'stalled').slice(0, -1);
      cluster.at += HOUR;
      await storage.users.removeAbandoned();
      yield rename(records, 'stalled').slice(-1);
    };
    const withoutSessions = (): string[] => keysIn(cluster).filter((key) => !/^s\/|\/sessions\//.test(key));
    const before = withoutSessions();
    await expect(importer.storage.transfer.importUser(stalled())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await storage.users.find('stalled')).toBeUndefined();
    expect(withoutSessions()).toEqual(before);
  });
});

it('an import is not interrupted by the daily maintenance of its own process', async () => {
  const { storage, records } = await openFurnished(false);
  const renamed = rename(records);
  const swept = async function* (): AsyncGenerator<UserRecord[]> {
    for await (const page of pagesOf(renamed)) {
      yield page;
      await storage.users.removeAbandoned();
    }
  };
  const copy = await storage.transfer.importUser(swept());
  expect((await exportUser(storage, copy)).filter(isImported)).toEqual(renamed.filter(isImported));
});

describe('a removal on one node', () => {
  it('makes a concurrent write of another node fail', async () => {
    const cluster = new Cluster();
    const [one, two] = [await cluster.open(), await cluster.open()];
    const alice = await addUser(one.storage);
    await two.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
    two.store.before = async (call) => {
      if (call !== 'commit') return;
      two.store.before = undefined;
      await one.storage.users.delete(alice);
    };
    await expect(two.storage.actions.append(alice, [action(1)])).rejects.toMatchObject({ code: 'missing' });
    expect(cluster.keysOf(alice)).toEqual([]);
    await expect(readActions(two.storage, alice)).rejects.toMatchObject({ code: 'missing' });
  });
});

it('a storage that cannot be opened does nothing in the background', async () => {
  const { cluster, storage, store, alice } = await openFurnished(true);
  await stopped(store, stopAt(2, false), () => storage.users.delete(alice));
  cluster.at += HOUR;
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const failing = openMemoryStore(cluster.database, true);
  failing.before = (call) => {
    if (call === 'commit') throw new StorageError('unavailable', 'stopped');
  };
  const context = { dataDir: '', now: cluster.now, overlap: 120, log: () => undefined };
  await expect(createStorage(failing, context)).rejects.toMatchObject({ code: 'unavailable' });
  expect(vi.getTimerCount()).toBe(0);
});

/** Sessions and app passwords whose digests exist already are not imported. */
const isImported = ({ kind }: UserRecord): boolean => kind !== 'session' && kind !== 'appPassword';

/** Whether the step succeeded. */
async function stopped(
  store: { before?: ((call: 'get' | 'list' | 'commit', batch?: Batch) => void) | undefined },
  before: (call: string, batch?: Batch) => void,
  step: () => Promise<unknown>,
): Promise<boolean> {
  store.before = before;
  const isDone = await step().then(
    () => true,
    () => false,
  );
  store.before = undefined;
  return isDone;
}

function rename([user, ...records]: readonly UserRecord[], name = 'copy'): UserRecord[] {
  const { email: _, ...renamed } = user as Extract<UserRecord, { kind: 'user' }>;
  return [{ ...renamed, name }, ...records];
}
