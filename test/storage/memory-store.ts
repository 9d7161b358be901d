import type { Batch, Entry, Key, KeyValueStore, Range } from '../../src/storage/contract.ts';
import { StorageError } from '../../src/storage/errors.ts';

/** The data of several stores, as nodes share one database. */
export class MemoryDatabase {
  readonly entries = new Map<Key, Entry>();
  version = 0;
  /** For a single store. */
  isHeld = false;
  /** Sorted, including some deleted keys. */
  #sorted: Key[] = [];
  #added: Key[] = [];

  get keys(): readonly Key[] {
    return this.sorted().filter((key) => this.entries.has(key));
  }

  /** Sorted keys, including some deleted ones. */
  sorted(): readonly Key[] {
    if (this.#added.length === 0) return this.#sorted;
    const added = [...new Set(this.#added)].toSorted((a, b) => (a < b ? -1 : 1));
    const merged: Key[] = [];
    let at = 0;
    for (const key of this.#sorted) {
      while (at < added.length && added[at]! < key) merged.push(added[at++]!);
      if (added[at] === key) at += 1; // it was deleted and set again
      merged.push(key);
    }
    this.#added = [];
    return (this.#sorted = [...merged, ...added.slice(at)]);
  }

  set(key: Key, value: string): void {
    if (!this.entries.has(key)) this.#added.push(key);
    this.entries.set(key, { key, value, version: this.version });
  }
}

/** Recorded calls of a store, and hooks for tests. */
export interface Faults {
  /** Names of the calls. */
  calls: ('get' | 'list' | 'commit')[];
  /** Runs before each call. */
  before?: ((call: 'get' | 'list' | 'commit', batch?: Batch) => Promise<void> | void) | undefined;
  /** Number of next commits whose answers are lost. */
  lostAnswers: number;
}

/** A store in memory; `isShared` as in the contract. */
export function openMemoryStore(database: MemoryDatabase, isShared: boolean): KeyValueStore & Faults {
  if (database.isHeld) throw new StorageError('busy', 'another store has opened this database');
  database.isHeld = !isShared;
  let isClosed = false;
  const store: KeyValueStore & Faults = {
    isShared,
    calls: [],
    lostAnswers: 0,
    get: (keys) => run('get', () => keys.map((key) => database.entries.get(key))),
    list: (range) => run('list', () => list(range)),
    commit: (batch) => run('commit', () => commit(batch), batch),
    ping: async () => undefined,
    verify: async () => undefined,
    async close() {
      if (!isClosed && !isShared) database.isHeld = false;
      isClosed = true;
    },
  };

  const run = async <T>(call: 'get' | 'list' | 'commit', step: () => T, batch?: Batch): Promise<T> => {
    store.calls.push(call);
    await store.before?.(call, batch);
    if (isClosed) throw new StorageError('unavailable', 'the storage is closed');
    return step();
  };

  const commit = ({ check = [], set = [], delete: deleted = [] }: Batch): number | undefined => {
    if (check.some(([key, version]) => (database.entries.get(key)?.version ?? 0) !== version)) return undefined;
    const version = (database.version += 1);
    for (const [key, value] of set) database.set(key, value);
    for (const key of deleted) database.entries.delete(key);
    if (store.lostAnswers === 0) return version;
    store.lostAnswers -= 1;
    throw new StorageError('unavailable', 'the answer was lost');
  };

  const list = ({ from, until, limit }: Range): Entry[] => {
    const keys = database.sorted();
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[middle]! < from) low = middle + 1;
      else high = middle;
    }
    const found: Entry[] = [];
    for (let at = low; at < keys.length && found.length < limit && keys[at]! < until; at += 1) {
      const entry = database.entries.get(keys[at]!);
      if (entry) found.push(entry);
    }
    return found;
  };

  return store;
}
