import type { KeyValueStore } from '../contract.ts';
import type { PodcastStore, StorageContext, TransferStore } from '../stores.ts';
import { createDirectoryWriter, type DirectoryWriter } from './account-changes.ts';
import { Directory } from './directory.ts';
import { createPodcastStore, type DirectoryAccounts } from './podcast-store.ts';
import { Refresh } from './refresh.ts';
import { exportDirectory, importDirectory } from './transfer.ts';

/** The directory of a store, as the rest of the storage uses it. */
export interface OpenDirectory extends Pick<TransferStore, 'exportDirectory' | 'importDirectory'> {
  podcasts: PodcastStore;
  writer: DirectoryWriter;
  /** Clears the memory, after everything was removed from the store. */
  clear(): void;
  /** Waits for a running refresh. */
  close(): Promise<void>;
}

/** Opens the directory: loads all podcasts and subscriptions. */
export async function openDirectory(
  store: KeyValueStore,
  context: Pick<StorageContext, 'now' | 'log'>,
  accounts: DirectoryAccounts,
): Promise<OpenDirectory> {
  const directory = new Directory(store, context);
  const refresh = new Refresh(directory, context.now());
  await directory.load();
  directory.memory.search.buildSoon();
  if (store.isShared) refresh.start();
  return {
    podcasts: createPodcastStore(directory, refresh, accounts),
    writer: createDirectoryWriter(directory, refresh),
    exportDirectory: () => exportDirectory(directory),
    importDirectory: (records) => importDirectory(directory, records),
    clear: () => directory.clear(),
    async close() {
      directory.memory.search.close();
      await refresh.close();
    },
  };
}
