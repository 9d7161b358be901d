import { LRUCache } from 'lru-cache';
import type { Seconds } from '../../domain/types.ts';
import type { AttemptLimit, AttemptStore } from '../stores.ts';

/** Keys in memory; beyond this, the least recently used ones are dropped. */
const MAX_KEYS = 20_000;

/** Attempts of a storage that belongs to one process: in memory only, as they may be lost at a restart. */
export function createAttemptStore(now: () => Seconds): AttemptStore {
  const triedAt = new LRUCache<string, Seconds[]>({ max: MAX_KEYS });

  const check = (key: string, limit: AttemptLimit): Attempts => checkAttempts(triedAt.get(key) ?? [], limit, now());

  return {
    async add(key, limit) {
      const { recent, wait } = check(key, limit);
      if (wait === 0) triedAt.set(key, [...recent, now()]);
      return wait;
    },
    wait: async (key, limit) => check(key, limit).wait,
    async refund(key) {
      const times = triedAt.get(key);
      times?.pop();
      if (times?.length === 0) triedAt.delete(key); // an empty entry must not evict another
    },
  };
}

export interface Attempts {
  /** Attempts within the limit's time. */
  recent: Seconds[];
  /** Seconds until the next attempt is allowed; 0: now. */
  wait: Seconds;
}

/** Checks earlier attempts against a limit. */
export function checkAttempts(times: readonly Seconds[], { most, within }: AttemptLimit, now: Seconds): Attempts {
  const recent = times.filter((at) => at > now - within);
  return { recent, wait: recent.length < most ? 0 : recent.at(-most)! + within - now };
}
