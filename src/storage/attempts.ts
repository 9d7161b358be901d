import { LRUCache } from 'lru-cache';
import type { Seconds } from '../domain/types.ts';
import type { AttemptLimit, AttemptStore } from './stores.ts';

/** Keys that are remembered: beyond that, the oldest are forgotten. */
const MOST_KEYS = 20_000;

/** The attempts of a storage that belongs to one process: in memory, as a restart may well forget them. */
export function createAttemptStore(now: () => Seconds): AttemptStore {
  const triedAt = new LRUCache<string, Seconds[]>({ max: MOST_KEYS });

  const weigh = (key: string, limit: AttemptLimit): Attempts => weighAttempts(triedAt.get(key) ?? [], limit, now());

  return {
    async add(key, limit) {
      const { recent, wait } = weigh(key, limit);
      if (wait === 0) triedAt.set(key, [...recent, now()]);
      return wait;
    },
    wait: async (key, limit) => weigh(key, limit).wait,
    async refund(key) {
      const times = triedAt.get(key);
      times?.pop();
      if (times?.length === 0) triedAt.delete(key); // or it would take the place of another
    },
  };
}

export interface Attempts {
  /** Those that still count. */
  recent: Seconds[];
  /** Seconds until there is room for one more; 0 when there is. */
  wait: Seconds;
}

/** What earlier attempts come to now. */
export function weighAttempts(times: readonly Seconds[], { most, within }: AttemptLimit, now: Seconds): Attempts {
  const recent = times.filter((at) => at > now - within);
  return { recent, wait: recent.length < most ? 0 : recent.at(-most)! + within - now };
}
