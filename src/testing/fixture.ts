import assert from 'node:assert/strict';
import { cpSync, lstatSync, mkdtempSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, isStorageError, type Key, type KeyValueStore, type OpenContext, type Version } from '../plugin.ts';
import { checkAnswers } from './answers.ts';

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
interface Fixture {
  readonly store: KeyValueStore;
  /** Closes all stores and opens the backend again. */
  reopen(): Promise<KeyValueStore>;
  /** Opens the backend once more, while the first store is open. */
  openAnother(): Promise<KeyValueStore>;
  /**
   * Opens a copy of the data folder, which has what a crash at this moment would leave. Undefined if the backend stores
   * nothing there, or if it is locked, as by a file with the id of this process.
   */
  openCopy(): Promise<KeyValueStore | undefined>;
  /** Closes one of the stores. */
  close(store: KeyValueStore): Promise<void>;
}

export interface OwnedFixture extends Fixture {
  destroy(): Promise<void>;
}

export async function openFixture(createSubject: () => Promise<Subject>): Promise<OwnedFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-conformance-'));
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const subject = await createSubject();
  const stores = new Set<KeyValueStore>();
  const openIn = async (place: string): Promise<KeyValueStore> => {
    const store = checkAnswers(await subject.open({ dataDir: place, log: () => undefined }));
    stores.add(store);
    return store;
  };
  const openAnother = (): Promise<KeyValueStore> => openIn(dataDir);
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
    async openCopy() {
      // Blocks this process: a write that a commit did not wait for must not end before the copy, nor during it.
      if (readdirSync(dataDir).length === 0) return undefined;
      const copy = mkdtempSync(join(folder, 'copy-'));
      cpSync(dataDir, copy, { recursive: true, filter: isFileOrFolder });
      return openIn(copy).catch((error: unknown) => {
        if (isStorageError(error, 'busy')) return undefined;
        throw error;
      });
    },
    async destroy() {
      await closeAll();
      await subject.destroy();
      await rm(folder, { recursive: true });
    },
  };
}

/** Sockets, of a lock or of a database, cannot be copied. */
function isFileOrFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}

/** Commits a batch whose checks must succeed. */
export async function commit(store: KeyValueStore, batch: Parameters<KeyValueStore['commit']>[0]): Promise<Version> {
  const version = await store.commit(batch);
  assert.ok(version !== undefined, 'commit resolved with undefined, as after a failed check, but all its checks hold');
  return version;
}

/** Parses a value: a plugin may return different text for the same JSON. */
export function parse(entry: Entry | undefined): any {
  if (!entry) return undefined;
  try {
    return JSON.parse(entry.value);
  } catch (error) {
    throw new assert.AssertionError({ message: `the value of ${entry.key} is no longer JSON: ${String(error)}` });
  }
}

/** The value of each key, undefined for missing ones. */
export const readAll = async (store: KeyValueStore, keys: readonly Key[]): Promise<any[]> =>
  (await store.get(keys)).map(parse);

export const read = async (store: KeyValueStore, key: Key): Promise<any> => (await readAll(store, [key]))[0];

/** The version of a key; 0 if it does not exist. */
export const versionOf = async (store: KeyValueStore, key: Key): Promise<Version> =>
  (await store.get([key]))[0]?.version ?? 0;

/** The message for a version that a commit has set for the second time. */
export const usedBefore = (version: Version): string =>
  `version ${version} was used before; a version must be new, also after the key was deleted or the store was reopened`;

/** All entries whose keys begin with `prefix`, followed by a character below `~`. */
export const listAll = (store: KeyValueStore, prefix: Key): Promise<Entry[]> =>
  store.list({ from: prefix, until: `${prefix}~`, limit: 1_000_000 });

/** `count` different keys that begin with `prefix`, in order. */
export const keys = (prefix: Key, count: number): Key[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(6, '0')}`);

/** Runs `start` concurrently, `count` times. */
export const all = <T>(count: number, start: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => start(n)));
