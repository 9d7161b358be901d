import { setTimeout } from 'node:timers/promises';
import type { Storage } from '../../storage/stores.ts';
import { StorageError } from '../../storage/errors.ts';

/** Milliseconds: shorter than most monitors wait for an answer. */
const TIMEOUT = 4000;

/**
 * Asks the storage whether it is there. Whoever asks meanwhile gets the same answer: questions that are never answered
 * must not take up all of its connections. Rejects as its `ping`, and with `unavailable` when no answer comes in time.
 */
export function createPing(storage: Pick<Storage, 'ping'>, timeout: number = TIMEOUT): () => Promise<void> {
  let asked: Promise<void> | undefined;
  return async () => {
    asked ??= storage.ping().finally(() => {
      asked = undefined;
    });
    const answered = new AbortController();
    const late = setTimeout(timeout, undefined, { signal: answered.signal, ref: false }).then(() => {
      throw new StorageError('unavailable', 'the storage does not answer');
    });
    try {
      await Promise.race([asked, late]);
    } finally {
      answered.abort(); // a monitor that asks all the time must not leave timers behind
    }
  };
}
