import { LRUCache } from 'lru-cache';
import type { Seconds } from '../domain/types.ts';
import type { AttemptLimit, AttemptStore } from './contract.ts';

/** Keys that are remembered: beyond that, the oldest are forgotten. */
const MOST_KEYS = 20_000;

/** The attempts of a storage that belongs to one process: in memory, as a restart may well forget them. */
export function createAttemptStore(now: () => Seconds): AttemptStore {
  const triedAt = new LRUCache<string, Seconds[]>({ max: MOST_KEYS });

  const recent = (key: string, { within }: AttemptLimit): Seconds[] =>
    (triedAt.get(key) ?? []).filter((at) => at > now() - within);

  const wait = (times: readonly Seconds[], { most, within }: AttemptLimit): Seconds =>
    times.length < most ? 0 : times.at(-most)! + within - now();

  return {
    async add(key, limit) {
      const times = recent(key, limit);
      const seconds = wait(times, limit);
      if (seconds === 0) triedAt.set(key, [...times, now()]);
      return seconds;
    },
    wait: async (key, limit) => wait(recent(key, limit), limit),
    takeBack: async (key) => void triedAt.get(key)?.pop(),
  };
}
