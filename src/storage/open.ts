import type { KeyValueStore, StoragePlugin } from './contract.ts';
import { isStorageError } from './errors.ts';
import { loadStorage, pluginFailure, withPlace } from './load.ts';
import { createStorage } from './storage.ts';
import type { Storage, StorageContext } from './stores.ts';

/** What a store must have. It is checked here because plugins in plain JavaScript have no types. */
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
 * Opens the storage that `spec` names. Rejects as `loadStorage` does, with a StorageError of the plugin, and with an Error
 * that says what is wrong with the plugin where it throws anything else, or opens less than the contract has.
 */
export async function openStorage(spec: string, baseDir: string, context: StorageContext): Promise<Storage> {
  const { plugin, options } = await loadStorage(spec, baseDir);
  const store = await openStore(plugin, options, context);
  try {
    return await createStorage(store, context);
  } catch (error) {
    await store.close().catch(() => undefined); // the error to report is the one before
    throw error;
  }
}

async function openStore(plugin: StoragePlugin, options: unknown, context: StorageContext): Promise<KeyValueStore> {
  const { dataDir, log } = context;
  const opening = (async () => plugin.open(options, { dataDir, log }))();
  const store: Partial<Record<keyof KeyValueStore, unknown>> | undefined = await opening.catch((error: unknown) => {
    if (isStorageError(error)) throw error;
    throw pluginFailure(`${plugin.name} failed to open: ${withPlace(error)}; the fault is in the plugin`, error);
  });
  const missing = Object.entries(SHAPE)
    .filter(([member, type]) => typeof store?.[member as keyof KeyValueStore] !== type)
    .map(([member]) => member);
  if (missing.length === 0) return store as KeyValueStore;
  try {
    if (!missing.includes('close')) await (store as KeyValueStore).close();
  } catch {
    // The error to report is the one below.
  }
  throw pluginFailure(
    `what ${plugin.name} opens is not a whole store: it has no ${missing.join(', ')}; ` +
      'the fault is in the plugin, as nothing of the contract is optional',
  );
}
