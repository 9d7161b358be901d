import { checkBatch } from './batch.ts';
import type { KeyValueStore } from './contract.ts';
import { StorageError } from './errors.ts';

/**
 * A store that refuses what no plugin has to handle: batches beyond the limits of the contract, and calls after
 * `close`, which waits for those that are running.
 */
export function guardStore(store: KeyValueStore): KeyValueStore {
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const run = async <T>(call: () => Promise<T>): Promise<T> => {
    if (closing) throw new StorageError('unavailable', 'the storage is closed');
    const result = call();
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(running);
    await store.close();
  };
  return {
    isShared: store.isShared,
    get: (keys) => run(() => store.get(keys)),
    list: (range) => run(() => store.list(range)),
    commit: (batch) => run(() => checkBatch(batch).then(() => store.commit(batch))),
    ping: () => run(() => store.ping()),
    verify: () => run(() => store.verify()),
    close: () => (closing ??= close()),
  };
}
