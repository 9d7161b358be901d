import type { KeyValueStore, StoragePlugin } from './contract.ts';
import { isStorageError } from './errors.ts';
import { loadStorage, pluginFailure, withLocation } from './load.ts';
import { createStorage } from './storage.ts';
import type { Storage, StorageContext } from './stores.ts';

/** The members of a store, checked at run time because plugins may be plain JavaScript. */
const SHAPE: { [Member in keyof KeyValueStore]: 'boolean' | 'function' } = {
  isShared: 'boolean',
  get: 'function',
  list: 'function',
  commit: 'function',
  ping: 'function',
  verify: 'function',
  close: 'function',
};

/**
 * Opens the storage of `spec`. Rejects as `loadStorage` does, with a StorageError of the plugin, or with an Error about
 * the plugin if it throws anything else or its store lacks a member.
 */
export async function openStorage(spec: string, baseDir: string, context: StorageContext): Promise<Storage> {
  const { plugin, options } = await loadStorage(spec, baseDir);
  const store = await openStore(plugin, options, context);
  try {
    return await createStorage(context.meterStore?.(store) ?? store, context);
  } catch (error) {
    await store.close().catch(() => undefined); // report the first error
    throw error;
  }
}

async function openStore(plugin: StoragePlugin, options: unknown, context: StorageContext): Promise<KeyValueStore> {
  const { dataDir, log } = context;
  const opening = (async () => plugin.open(options, { dataDir, log }))();
  const store: Partial<Record<keyof KeyValueStore, unknown>> | undefined = await opening.catch((error: unknown) => {
    if (isStorageError(error)) throw error;
    throw pluginFailure(`${plugin.name} failed to open: ${withLocation(error)}; the fault is in the plugin`, error);
  });
  const missing = Object.entries(SHAPE)
    .filter(([member, type]) => typeof store?.[member as keyof KeyValueStore] !== type)
    .map(([member]) => member);
  if (missing.length === 0) return store as KeyValueStore;
  try {
    if (!missing.includes('close')) await (store as KeyValueStore).close();
  } catch {
    // Report the error below.
  }
  throw pluginFailure(
    `the store of ${plugin.name} has no ${missing.join(', ')}; the fault is in the plugin, as no member is optional`,
  );
}
