import { beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import type { Entry, Key, KeyValueStore, Range } from '../../src/storage/contract.ts';
import { createStorage } from '../../src/storage/storage.ts';
import type { Storage } from '../../src/storage/stores.ts';
import { countTurns } from '../event-loop.ts';
import { MemoryDatabase, openMemoryStore } from './memory-store.ts';
import { actions, addUser, feed, readActions } from './suite/samples.ts';

const MEGABYTE = 1024 * 1024;

/** The longest text that one read has returned. Characters. */
let longest: number;
/** Reads that are running, and the most that were. */
let [running, mostRunning] = [0, 0];
let storage: Storage;
let alice: UserId;

beforeEach(async () => {
  const store = openMemoryStore(new MemoryDatabase(), false);
  const measure = <Found extends Entry | undefined>(entries: Found[]): Found[] => {
    longest = Math.max(
      longest,
      entries.reduce((sum, entry) => sum + (entry?.value.length ?? 0), 0),
    );
    return entries;
  };
  const measured: KeyValueStore = Object.assign(Object.create(store) as KeyValueStore, {
    async get(keys: readonly Key[]) {
      mostRunning = Math.max(mostRunning, (running += 1));
      return measure(await store.get(keys).finally(() => (running -= 1)));
    },
    list: async (range: Range) => measure(await store.list(range)),
  });
  storage = await createStorage(measured, { dataDir: '', now: () => 1_700_000_000, overlap: 0, log: () => undefined });
  alice = await addUser(storage);
  longest = 0;
});

describe('never read all at once are', () => {
  it('the lists of an account, to show their titles or to move one', async () => {
    const urls = Array.from({ length: 60 }, (_, n) => `https://podcasts.example/${n}/${'x'.repeat(8000)}`);
    for (let n = 0; n < 20; n += 1) await storage.lists.create(alice, { name: `list-${n}`, title: `List ${n}`, urls });
    longest = 0;
    expect(await storage.lists.all(alice)).toHaveLength(20);
    expect(longest, 'nor any of their feeds').toBeLessThan(1000);
    expect(await storage.lists.move(alice, 'list-19', -1)).toBe(true);
    expect((await storage.lists.all(alice)).at(-2)).toEqual({ name: 'list-19', title: 'List 19' });
    expect(await storage.lists.find(alice, 'list-19')).toMatchObject({ urls });
    expect(longest).toBeLessThan(8 * MEGABYTE);
  });

  it('the settings of all episodes, to find the favorites', async () => {
    for (let n = 0; n < 80; n += 1) {
      const scope = {
        kind: 'episode',
        podcast: 'https://podcasts.example/1',
        episode: `https://a.example/${n}`,
      } as const;
      const set = { is_favorite: n % 2 === 0, notes: 'x'.repeat(60_000) };
      await storage.settings.update(alice, scope, { set, remove: [], limit: 10 });
    }
    longest = 0;
    expect((await storage.settings.withKey(alice, 'episode', 'is_favorite')).length).toBe(80);
    expect(longest).toBeLessThan(2 * MEGABYTE);
  });

  it('the settings and lists of an account, to export it', async () => {
    for (let n = 0; n < 80; n += 1) {
      const scope = { kind: 'podcast', podcast: `https://podcasts.example/${n}` } as const;
      await storage.settings.update(alice, scope, { set: { notes: 'x'.repeat(60_000) }, remove: [], limit: 10 });
    }
    const urls = Array.from({ length: 60 }, (_, n) => `https://podcasts.example/${n}/${'x'.repeat(8000)}`);
    for (let n = 0; n < 20; n += 1) await storage.lists.create(alice, { name: `list-${n}`, title: '', urls });
    longest = 0;
    let [records, longestPage] = [0, 0];
    for await (const page of storage.transfer.exportUser(alice)) {
      records += page.length;
      longestPage = Math.max(longestPage, JSON.stringify(page).length);
    }
    expect(records).toBe(1 + 80 + 20);
    expect(longest).toBeLessThan(2 * MEGABYTE);
    expect(longestPage).toBeLessThan(2 * MEGABYTE);
  });
});

it('no more than 100 accounts are read at the same time: each may be a file', async () => {
  for (let n = 0; n < 300; n += 1) await addUser(storage, `user-${n}`);
  mostRunning = 0;
  expect(await storage.users.all()).toHaveLength(301);
  expect(mostRunning).toBeLessThanOrEqual(100);
});

it('other requests are answered while a long history is searched in vain', async () => {
  await storage.actions.append(alice, actions(50_000));
  const { result, turns } = await countTurns(() =>
    readActions(storage, alice, { podcasts: new Set([feed('unknown')]) }),
  );
  expect(result).toEqual([]);
  expect(turns).toBeGreaterThan(3);
});
