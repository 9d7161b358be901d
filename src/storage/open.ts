import type { StorageContext, Storage, StoreName } from './stores.ts';
import { isStorageError } from './errors.ts';
import { loadStorage, pluginFailure, withPlace } from './load.ts';

/** What a storage must have. It is checked here because plugins in plain JavaScript have no types. */
const STORES: { [Name in StoreName]: Record<keyof Storage[Name], true> } = {
  users: { create: true, find: true, setPassword: true, rename: true, delete: true, all: true, settledAt: true },
  sessions: { save: true, prolong: true, find: true, delete: true, all: true, endAll: true, deleteExpired: true },
  attempts: { add: true, wait: true, takeBack: true },
  devices: { find: true, all: true, save: true, groups: true, synchronize: true },
  subscriptions: { current: true, since: true, apply: true, replace: true },
  actions: { append: true, query: true },
  settings: { get: true, update: true, withKey: true },
  lists: { all: true, find: true, create: true, replace: true, delete: true },
  podcasts: {
    find: true,
    findEpisodes: true,
    episodes: true,
    episodesSince: true,
    announce: true,
    claimDue: true,
    feed: true,
    formerUrls: true,
    feeds: true,
    record: true,
    search: true,
    topTags: true,
    byTag: true,
    top: true,
    alongside: true,
    rebuildToplist: true,
    logoUrl: true,
  },
  transfer: { exportUser: true, importUser: true, exportDirectory: true, importDirectory: true, clear: true },
};
const LIFECYCLE: Record<Exclude<keyof Storage, StoreName>, true> = { ping: true, verify: true, close: true };

/**
 * Opens the storage that `spec` names. Rejects as `loadStorage` does, with a StorageError of the plugin, and with an Error
 * that says what is wrong with the plugin where it throws anything else, or opens less than the contract has.
 */
export async function openStorage(spec: string, baseDir: string, context: StorageContext): Promise<Storage> {
  const { plugin, options } = await loadStorage(spec, baseDir);
  const opening = (async () => plugin.open(options, context))();
  const storage = await opening.catch((error: unknown) => {
    if (isStorageError(error)) throw error;
    throw pluginFailure(`${plugin.name} failed to open: ${withPlace(error)}; the fault is in the plugin`, error);
  });
  const missing = missingOf(storage);
  if (missing.length === 0) return storage;
  try {
    if (!missing.includes('close')) await storage.close();
  } catch {
    // The error to tell of is the one below.
  }
  throw pluginFailure(
    `what ${plugin.name} opens is not a whole storage: it has no ${missing.join(', ')}; ` +
      'the fault is in the plugin, as nothing of the contract is optional',
  );
}

function missingOf(storage: any): string[] {
  const stores = Object.entries(STORES).flatMap(([store, verbs]) => {
    const missing = lacking(storage?.[store], verbs);
    return missing.length === Object.keys(verbs).length ? [store] : missing.map((verb) => `${store}.${verb}`);
  });
  return [...stores, ...lacking(storage, LIFECYCLE)];
}

const lacking = (holder: any, verbs: Record<string, true>): string[] =>
  Object.keys(verbs).filter((verb) => typeof holder?.[verb] !== 'function');
