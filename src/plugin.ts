/**
 * The entry point for authors of storage plugins: the contract, its errors, and what the built-in plugins share.
 */
export type * from './storage/contract.ts';
export { MAX_KEY_BYTES, MAX_VALUE_BYTES } from './storage/contract.ts';
export { explainError, type ErrorMeanings, loadOptional, otherSchema } from './storage/backend-errors.ts';
export { mergeBatches } from './storage/batch.ts';
export { packBatch, type PackedBatch, unpackBatch } from './storage/packed-batch.ts';
export { isStorageError, StorageError, type StorageErrorCode } from './storage/errors.ts';
export { eachInSlices } from './slices.ts';
export { createFolder, FILE_MODE, replaceFile, syncFolder, withFile } from './durable-files.ts';
export { createThread, serveThread, type Thread } from './thread.ts';
export { Mutex } from './mutex.ts';

import type { StoragePlugin } from './storage/contract.ts';

/** Gives a plugin its type without a cast: `export default definePlugin({ name, contract: 1, parse, open })`. */
export const definePlugin = <Options>(plugin: StoragePlugin<Options>): StoragePlugin<Options> => plugin;
