import type { Seconds } from '../../domain/types.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import { attemptKey, ATTEMPTS } from './account-keys.ts';
import { type Attempts, checkAttempts } from './attempts.ts';
import type { Entry } from '../contract.ts';
import type { Core } from './core.ts';
import { under } from '../keys.ts';
import { scan } from '../rows.ts';
import type { AttemptLimit, AttemptStore } from '../stores.ts';

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

  const read = async (key: string): Promise<{ entry: Entry | undefined; times: Seconds[]; until: Seconds }> => {
    const [entry] = await store.get([attemptKey(key)]);
    return { entry, ...(entry ? readAttempts(entry) : { times: [], until: 0 }) };
  };
  const set = async (key: string, entry: Entry | undefined, attempts: StoredAttempts): Promise<boolean> => {
    const id = attemptKey(key);
    const batch = { check: [[id, entry?.version ?? 0] as const], set: [[id, JSON.stringify(attempts)] as const] };
    return (await store.commit(batch)) !== undefined;
  };
  const check = (times: readonly Seconds[], limit: AttemptLimit): Attempts =>
    checkAttempts(times, limit, context.now());

  const removeExpired = async (): Promise<void> => {
    const now = context.now();
    if (removedAt > now - REMOVAL_INTERVAL) return;
    removedAt = now;
    for await (const page of scan(store, under(ATTEMPTS))) {
      for (const entry of page.filter((each) => readAttempts(each).until <= now)) {
        await store.commit({ check: [[entry.key, entry.version]], delete: [entry.key] });
      }
    }
  };

  return {
    add: (key, limit) =>
      mutex.run(key, async () => {
        for (;;) {
          const { entry, times } = await read(key);
          const { recent, wait } = check(times, limit);
          if (wait > 0) return wait;
          const now = context.now();
          if (!(await set(key, entry, { times: [...recent, now], until: now + limit.within }))) continue;
          await removeExpired();
          return 0;
        }
      }),

    wait: async (key, limit) => check((await read(key)).times, limit).wait,

    refund: (key) =>
      mutex.run(key, async () => {
        for (;;) {
          const { entry, times, until } = await read(key);
          if (!entry || (await set(key, entry, { times: times.slice(0, -1), until }))) return;
        }
      }),
  };
}

const readAttempts = ({ value }: Entry): StoredAttempts => JSON.parse(value) as StoredAttempts;
