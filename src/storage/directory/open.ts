import type { KeyValueStore } from '../contract.ts';
import type { PodcastStore, StorageContext, TransferStore } from '../stores.ts';
import { createDirectoryWriter, type DirectoryWriter } from './account-changes.ts';
import type { DirectoryAccounts } from './pending-feeds.ts';
import { ChangeFeed } from './change-feed.ts';
import { Directory } from './directory.ts';
import { createPodcastStore } from './podcast-store.ts';
import { exportDirectory, importDirectory } from './transfer.ts';

/** How often a process reads the changes of others. Milliseconds. */
const REFRESH_EVERY = 5000;

/** The directory of a store, as the rest of the storage uses it. */
export interface OpenDirectory extends Pick<TransferStore, 'exportDirectory' | 'importDirectory'> {
  podcasts: PodcastStore;
  writer: DirectoryWriter;
  /** Applies the changes of other processes. Runs every few seconds if the store is shared. */
  refresh(): Promise<void>;
  /** Clears the memory, after everything was removed from the store. */
  clear(): void;
  /** Waits for a running refresh. */
  close(): Promise<void>;
}

/** Opens the directory: loads all podcasts. */
export async function openDirectory(
  store: KeyValueStore,
  context: Pick<StorageContext, 'now' | 'log'>,
  accounts: DirectoryAccounts,
): Promise<OpenDirectory> {
  const openedAt = context.now();
  const directory = await Directory.open(store, context);
  const feed = new ChangeFeed(directory, openedAt);
  let refreshing: Promise<void> | undefined;
  const refresh = (): Promise<void> =>
    (refreshing ??= feed.refresh().finally(() => {
      refreshing = undefined;
    }));
  let isFailing = false;
  const refreshOrWarn = async (): Promise<void> => {
    try {
      await refresh();
      isFailing = false;
    } catch (error) {
      if (!isFailing) context.log('warn', `changes of other nodes cannot be read: ${(error as Error).message}`);
      isFailing = true;
    }
  };
  const timer = store.isShared ? setInterval(() => void refreshOrWarn(), REFRESH_EVERY).unref() : undefined;

  return {
    podcasts: createPodcastStore(directory, accounts),
    writer: createDirectoryWriter(directory),
    refresh,
    exportDirectory: () => exportDirectory(directory),
    importDirectory: (records) => importDirectory(directory, records),
    clear: () => directory.clear(),
    async close() {
      clearInterval(timer);
      directory.close();
      await refreshing?.catch(() => undefined);
    },
  };
}
