import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isStorageError, type StorageErrorCode } from '../../../src/storage/errors.ts';
import { SECRET } from './samples.ts';

/** Expects a StorageError with this code, and a message without secrets. */
export async function rejectsWith(code: StorageErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isStorageError(error), `not a StorageError: ${String(error)}`);
    assert.equal(error.code, code);
    assert.notEqual(error.message.trim(), '', 'the message is empty');
    assert.ok(!error.message.includes(SECRET), 'the message has a secret');
    const isShownToClients = code === 'missing' || code === 'conflict';
    assert.ok(!isShownToClients || !/[/\\]/.test(error.message), `a message for clients has a path: ${error.message}`);
    return true;
  });
}

/** Repeats `look` until `work` has ended; returns its result. */
export async function watch<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
  const over = work.then(
    () => true,
    () => true,
  );
  // The immediate lets the writer continue if `look` does no I/O.
  while (!(await Promise.race([over, setImmediate(false)]))) await look();
  return work;
}
