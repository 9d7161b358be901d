import type { Seconds } from '../../domain/types.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import { attemptKey, ATTEMPTS } from './account-keys.ts';
import { type Attempts, checkAttempts } from './attempts.ts';
import type { Core } from './core.ts';
import { under } from '../keys.ts';
import { scan } from '../rows.ts';
import type { AttemptLimit, AttemptStore } from '../stores.ts';
import { readValue, updateValue, valueOf } from '../values.ts';

/** How often expired attempts are removed. */
const REMOVAL_INTERVAL: Seconds = 60;

interface StoredAttempts {
  times: Seconds[];
  /** When all of them have expired. */
  until: Seconds;
}

/** Attempts of a storage that several processes share. */
export function createSharedAttemptStore({ store, context }: Core): AttemptStore {
  const mutex = new KeyedMutex<string>();
  let removedAt = context.now();

  const check = (stored: StoredAttempts | undefined, limit: AttemptLimit): Attempts =>
    checkAttempts(stored?.times ?? [], limit, context.now());

  const removeExpired = async (): Promise<void> => {
    const now = context.now();
    if (removedAt > now - REMOVAL_INTERVAL) return;
    removedAt = now;
    for await (const page of scan(store, under(ATTEMPTS))) {
      for (const entry of page.filter((each) => valueOf<StoredAttempts>(each).until <= now)) {
        await store.commit({ check: [[entry.key, entry.version]], delete: [entry.key] });
      }
    }
  };

  return {
    add: (key, limit) =>
      mutex.run(key, async () => {
        const waited = await updateValue<StoredAttempts, Seconds>(store, attemptKey(key), (stored) => {
          const { recent, wait } = check(stored, limit);
          const now = context.now();
          return { result: wait, value: wait > 0 ? undefined : { times: [...recent, now], until: now + limit.within } };
        });
        if (waited === 0) await removeExpired();
        return waited;
      }),

    wait: async (key, limit) => check(await readValue(store, attemptKey(key)), limit).wait,

    refund: (key) =>
      mutex.run(key, () =>
        updateValue<StoredAttempts>(store, attemptKey(key), (stored) => ({
          result: undefined,
          value: stored && { ...stored, times: stored.times.slice(0, -1) },
        })),
      ),
  };
}
