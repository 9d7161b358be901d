import { StorageError } from '../../storage/errors.ts';
import type { Storage } from '../../storage/stores.ts';
import { withTimeout } from '../../timeout.ts';

/** Shorter than most monitors wait for a response. Milliseconds. */
const TIMEOUT = 4000;

/**
 * Checks that the storage responds. Simultaneous calls share one check, so that checks without a response cannot take up
 * all connections. Rejects as the storage's `ping` does, and with `unavailable` after the timeout.
 */
export function createPing(storage: Pick<Storage, 'ping'>, timeout: number = TIMEOUT): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= storage.ping().finally(() => {
      running = undefined;
    });
    return withTimeout(running, timeout, () => {
      throw new StorageError('unavailable', 'the storage does not respond');
    });
  };
}
