import { once } from 'node:events';
import type { Storage } from '../storage/contract.ts';
import { StorageError } from '../storage/errors.ts';

/** Milliseconds: less than what watches over a server waits for its answer. */
const PATIENCE = 4000;

/**
 * Asks the storage whether it is there, once for all who ask meanwhile: what it never answers must not hold all of its
 * connections. Rejects as its `ping`, and with `unavailable` when it does not answer in time.
 */
export function createPing(storage: Pick<Storage, 'ping'>, patience: number = PATIENCE): () => Promise<void> {
  let asked: Promise<void> | undefined;
  return async () => {
    asked ??= storage.ping().finally(() => {
      asked = undefined;
    });
    const late = once(AbortSignal.timeout(patience), 'abort').then(() => {
      throw new StorageError('unavailable', 'the storage does not answer');
    });
    await Promise.race([asked, late]);
  };
}
