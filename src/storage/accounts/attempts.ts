import { LRUCache } from 'lru-cache';
import type { Seconds } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import { KeyedMutex } from '../../mutex.ts';
import type { Core } from '../core.ts';
import { scan } from '../rows.ts';
import type { AttemptLimit, AttemptStore } from '../stores.ts';
import { readValue, updateValue, valueOf } from '../values.ts';
import { attemptKey, ATTEMPTS } from './account-keys.ts';

/** Keys in memory; beyond this, the least recently used ones are dropped. */
const MAX_KEYS = 20_000;
/** How often expired attempts are removed: there may be a hundred thousand that have not expired. */
const REMOVAL_INTERVAL: Seconds = 300;

/** The attempts of a key. */
interface Attempts {
  times: Seconds[];
  /** When all of them have expired. */
  until: Seconds;
}

/** Where attempts are kept, by key. */
interface AttemptTable {
  read(key: string): Promise<Attempts | undefined>;
  /** Replaces the attempts of a key, unless `decide` returns no value. Atomic. */
  update<T>(
    key: string,
    decide: (attempts: Attempts | undefined) => { result: T; value?: Attempts | undefined },
  ): Promise<T>;
}

export function createAttemptStore(core: Core): AttemptStore {
  const { now } = core.context;
  const table = core.store.isShared ? createSharedTable(core) : createMemoryTable();

  const check = (
    attempts: Attempts | undefined,
    { most, within }: AttemptLimit,
  ): { recent: Seconds[]; wait: Seconds } => {
    // Nor those far ahead: the clock was wrong, and would lock out the client for years.
    const recent = (attempts?.times ?? []).filter((at) => Math.abs(now() - at) < within);
    return { recent, wait: recent.length < most ? 0 : recent.at(-most)! + within - now() };
  };

  return {
    add: (key, limit) =>
      table.update(key, (attempts) => {
        const { recent, wait } = check(attempts, limit);
        if (wait > 0) return { result: wait };
        return { result: 0, value: { times: [...recent, now()], until: now() + limit.within } };
      }),
    wait: async (key, limit) => check(await table.read(key), limit).wait,
    refund: (key) =>
      table.update(key, (attempts) => ({
        result: undefined,
        value: attempts && { ...attempts, times: attempts.times.slice(0, -1) },
      })),
  };
}

/** For a storage that belongs to one process: attempts may be lost at a restart. */
function createMemoryTable(): AttemptTable {
  const table = new LRUCache<string, Attempts>(atMost(MAX_KEYS));
  return {
    read: async (key) => table.get(key),
    async update(key, decide) {
      const { result, value } = decide(table.get(key));
      if (value?.times.length === 0) table.delete(key); // an empty entry must not evict another
      else if (value) table.set(key, value);
      return result;
    },
  };
}

/** For a storage that several processes share. */
function createSharedTable({ store, context }: Core): AttemptTable {
  const mutex = new KeyedMutex<string>();
  let removedAt = context.now();

  const removeExpired = async (): Promise<void> => {
    const now = context.now();
    if (removedAt > now - REMOVAL_INTERVAL) return;
    removedAt = now;
    for await (const page of scan(store, ATTEMPTS)) {
      for (const entry of page.filter((each) => valueOf<Attempts>(each).until <= now)) {
        await store.commit({ check: [[entry.key, entry.version]], delete: [entry.key] });
      }
    }
  };

  return {
    read: (key) => readValue(store, attemptKey(key)),
    update: (key, decide) =>
      mutex.run(key, () => {
        void removeExpired().catch(() => undefined); // the rest is removed the next time
        return updateValue(store, attemptKey(key), decide);
      }),
  };
}
