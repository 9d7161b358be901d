import { LRUCache } from 'lru-cache';
import type { Seconds } from '../domain/types.ts';
import type { AttemptLimit, AttemptStore } from './contract.ts';

/** Keys that are remembered: beyond that, the oldest are forgotten. */
const MOST_KEYS = 20_000;

/** The attempts of a storage that belongs to one process: in memory, as a restart may well forget them. */
export function createAttemptStore(now: () => Seconds): AttemptStore {
  const triedAt = new LRUCache<string, Seconds[]>({ max: MOST_KEYS });

  const recent = (key: string, limit: AttemptLimit): Seconds[] => recentAttempts(triedAt.get(key) ?? [], limit, now());

  return {
    async add(key, limit) {
      const times = recent(key, limit);
      const seconds = waitAfter(times, limit, now());
      if (seconds === 0) triedAt.set(key, [...times, now()]);
      return seconds;
    },
    wait: async (key, limit) => waitAfter(recent(key, limit), limit, now()),
    takeBack: async (key) => void triedAt.get(key)?.pop(),
  };
}

/** Those that still count. */
export const recentAttempts = (times: readonly Seconds[], { within }: AttemptLimit, now: Seconds): Seconds[] =>
  times.filter((at) => at > now - within);

/** Seconds until there is room for one more, after these that count; 0 when there is. */
export const waitAfter = (recent: readonly Seconds[], { most, within }: AttemptLimit, now: Seconds): Seconds =>
  recent.length < most ? 0 : recent.at(-most)! + within - now;
