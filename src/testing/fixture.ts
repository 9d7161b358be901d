import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Key, KeyValueStore, OpenContext, Version } from '../plugin.ts';

/** One backend, empty at first. */
export interface Subject {
  /**
   * Opens the backend. Called again after `close()`, and then all data must still exist. If `isShared`, also called
   * while the backend is open.
   */
  open(context: OpenContext): Promise<KeyValueStore>;
  /** Removes data of the backend outside `context.dataDir`, which the suite removes itself. */
  destroy(): Promise<void>;
}

/** How a file of the suite defines its tests. */
interface Tests {
  test(title: string, body: (fixture: Fixture) => Promise<void>): void;
  /** A test with a backend that is opened twice; runs only if stores are shared. */
  testShared(
    title: string,
    body: (one: KeyValueStore, other: KeyValueStore, close: Fixture['close']) => Promise<void>,
  ): void;
}
export type Suite = (tests: Tests) => void;

/** What a test gets: an open, empty store. */
export interface Fixture {
  readonly store: KeyValueStore;
  /** Closes all stores and opens the backend again. */
  reopen(): Promise<KeyValueStore>;
  /** Opens the backend once more, while the first store is open. */
  openAnother(): Promise<KeyValueStore>;
  /** Closes one of the stores. */
  close(store: KeyValueStore): Promise<void>;
}

export interface OwnedFixture extends Fixture {
  destroy(): Promise<void>;
}

export async function openFixture(createSubject: () => Promise<Subject>): Promise<OwnedFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), 'podsync-conformance-'));
  const subject = await createSubject();
  const stores = new Set<KeyValueStore>();
  const openAnother = async (): Promise<KeyValueStore> => {
    const store = await subject.open({ dataDir, log: () => undefined });
    stores.add(store);
    return store;
  };
  const close = async (store: KeyValueStore): Promise<void> => {
    stores.delete(store);
    await store.close();
  };
  const closeAll = async (): Promise<void> => {
    for (const store of stores) await close(store);
  };
  return {
    store: await openAnother(),
    openAnother,
    close,
    async reopen() {
      await closeAll();
      return openAnother();
    },
    async destroy() {
      await closeAll();
      await subject.destroy();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** Commits a batch whose checks must succeed. */
export async function commit(store: KeyValueStore, batch: Parameters<KeyValueStore['commit']>[0]): Promise<Version> {
  const version = await store.commit(batch);
  assert.ok(version !== undefined, 'a check failed');
  return version;
}

/** Parses a value: a plugin may return different text for the same JSON. */
export const parse = (entry: Entry | undefined): any => entry && JSON.parse(entry.value);

/** The value of each key, undefined for missing ones. */
export const readAll = async (store: KeyValueStore, keys: readonly Key[]): Promise<any[]> =>
  (await store.get(keys)).map(parse);

export const read = async (store: KeyValueStore, key: Key): Promise<any> => (await readAll(store, [key]))[0];

/** The version of a key; 0 if it does not exist. */
export const versionOf = async (store: KeyValueStore, key: Key): Promise<Version> =>
  (await store.get([key]))[0]?.version ?? 0;

/** All entries whose keys begin with `prefix`, followed by a character below `~`. */
export const listAll = (store: KeyValueStore, prefix: Key): Promise<Entry[]> =>
  store.list({ from: prefix, until: `${prefix}~`, limit: 1_000_000 });

/** `count` different keys that begin with `prefix`, in order. */
export const keys = (prefix: Key, count: number): Key[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(6, '0')}`);

/** Runs `start` concurrently, `count` times. */
export const all = <T>(count: number, start: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => start(n)));
