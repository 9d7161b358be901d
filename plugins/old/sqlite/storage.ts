import { resolve } from 'node:path';
import { createAttemptStore, type StorageContext, type Storage } from '../../../src/old-plugin.ts';
import { createAccountExport } from './account-export.ts';
import { createAccountImport } from './account-import.ts';
import { createActed } from './acted.ts';
import { createActionStore } from './actions.ts';
import { createArrivals } from './arrivals.ts';
import { Database } from './database.ts';
import { createDevices } from './device-table.ts';
import { createDeviceStore } from './devices.ts';
import { createDirectory } from './directory.ts';
import { createDirectoryExport } from './directory-export.ts';
import { createDirectoryImport } from './directory-import.ts';
import { createEpisodeShelf } from './episode-shelf.ts';
import { toOpeningError } from './failure.ts';
import { createListStore } from './lists.ts';
import { createLogins } from './logins.ts';
import { createPodcastStore } from './podcasts.ts';
import { createPodcastTable } from './podcast-table.ts';
import { createReadingRecord } from './reading.ts';
import { createRemoval } from './removal.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionStore } from './sessions.ts';
import { createSettingStore } from './settings.ts';
import { createSubscriptionTable } from './subscription-table.ts';
import { createSubscriptionStore } from './subscriptions.ts';
import { createTransferStore } from './transfer.ts';
import { createUpload } from './upload.ts';
import { createUserStore } from './users.ts';

/** The storage itself, in the thread that it is opened in: SQLite makes everybody else there wait. */
export async function openInThisThread(file: string, context: StorageContext): Promise<Storage> {
  const path = resolve(context.dataDir, file);
  const database = await Database.open(path, context);
  try {
    return createStorage(database, context);
  } catch (error) {
    await database.close();
    throw toOpeningError(error, path);
  }
}

function createStorage(database: Database, context: StorageContext): Storage {
  const search = createSearchIndex(database);
  const directory = createDirectory(database, search);
  const acted = createActed(database);
  const shelf = createEpisodeShelf(database, acted);
  const podcasts = createPodcastTable(database, shelf, search);
  const devices = createDevices(database);
  const subscriptions = createSubscriptionTable(database, directory);
  const upload = createUpload(database, devices, subscriptions);
  const logins = createLogins(database);
  const removal = createRemoval(database);
  const arrivals = createArrivals(database, removal);
  void arrivals.resume();
  void removal.run();
  return {
    users: createUserStore(database, logins, removal),
    sessions: createSessionStore(database),
    attempts: createAttemptStore(context.now),
    devices: createDeviceStore(database, devices, subscriptions, upload),
    subscriptions: createSubscriptionStore(database, devices, subscriptions, upload),
    actions: createActionStore(database, directory, subscriptions, upload),
    settings: createSettingStore(database),
    lists: createListStore(database),
    podcasts: createPodcastStore(
      database,
      directory,
      search,
      createReadingRecord(database, directory, podcasts, shelf, acted),
    ),
    transfer: createTransferStore(
      database,
      {
        exportUser: createAccountExport(database, devices),
        importUser: createAccountImport(database, directory, logins, arrivals),
      },
      createDirectoryExport(database),
      createDirectoryImport(database, directory, podcasts, shelf),
    ),
    ping: () => database.read(() => void database.prepare('SELECT 1').get({})),
    verify: () => database.verify(),
    close: () => database.close(),
  };
}
