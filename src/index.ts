/** The entry point for embedding podsync in another program. */
export { type AppOptions, createApp } from './app.ts';
export { openPodsync, type Podsync, type PodsyncOptions } from './podsync.ts';
export type { Services } from './services/services.ts';
export type { Log } from './storage/contract.ts';
export { isStorageError, StorageError, type StorageErrorCode } from './storage/errors.ts';
export type * from './storage/stores.ts';
export type * from './domain/types.ts';
