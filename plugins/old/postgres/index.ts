import { defineOldPlugin } from '../../../src/old-plugin.ts';
import { createAccountExport } from './account-export.ts';
import { createAccountImport } from './account-import.ts';
import { createActed } from './acted.ts';
import { createActionStore } from './actions.ts';
import { createArrivals } from './arrivals.ts';
import { createAttemptStore } from './attempts.ts';
import { Database, type DatabaseOptions } from './database.ts';
import { createDevices } from './device-table.ts';
import { createDeviceStore } from './devices.ts';
import { createDirectory } from './directory.ts';
import { createDirectoryExport } from './directory-export.ts';
import { createDirectoryImport } from './directory-import.ts';
import { createEpisodeShelf } from './episode-shelf.ts';
import { createListStore } from './lists.ts';
import { parseLocation } from './location.ts';
import { createLogins } from './logins.ts';
import { createPodcastStore } from './podcasts.ts';
import { createPodcastTable } from './podcast-table.ts';
import { createReadingRecord } from './reading.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionStore } from './sessions.ts';
import { createSettingStore } from './settings.ts';
import { createStamps } from './stamps.ts';
import { createSubscriptionTable } from './subscription-table.ts';
import { createSubscriptionStore } from './subscriptions.ts';
import { createTransferStore } from './transfer.ts';
import { createUpload } from './upload.ts';
import { createUserStore } from './users.ts';

/**
 * One PostgreSQL database, for one node or for several: `postgres://user:password@host:5432/database`; `postgres` alone
 * takes what the variables `PGHOST`, `PGDATABASE` and the like say.
 */
export default defineOldPlugin<DatabaseOptions>({
  name: 'postgres',
  contract: 1,
  parse: (location) => ({ url: parseLocation(location) }),
  async open(options, context) {
    const database = await Database.open(options, context);
    const ping = database.prepare('SELECT 1');
    const stamps = createStamps(database);
    const search = createSearchIndex(database);
    const acted = createActed(database, stamps);
    const directory = createDirectory(database, search);
    const shelf = createEpisodeShelf(database, stamps, acted);
    const podcasts = createPodcastTable(database, shelf, search);
    const devices = createDevices(database);
    const subscriptions = createSubscriptionTable(database);
    const upload = createUpload(database, stamps, directory, devices, subscriptions);
    const logins = createLogins(database);
    const arrivals = createArrivals(database);
    await arrivals.tidy().catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return {
      users: createUserStore(database, stamps, directory, logins),
      sessions: createSessionStore(database, stamps),
      attempts: createAttemptStore(database),
      devices: createDeviceStore(database, stamps, devices, subscriptions, upload),
      subscriptions: createSubscriptionStore(database, stamps, devices, subscriptions, upload),
      actions: createActionStore(database, stamps, directory, subscriptions, upload),
      settings: createSettingStore(database, stamps),
      lists: createListStore(database, stamps),
      podcasts: createPodcastStore(
        database,
        stamps,
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
        createDirectoryImport(database, stamps, directory, podcasts, shelf),
      ),
      ping: () => database.read(async (connection) => void (await ping.run(connection, {}))),
      verify: async () => undefined, // the server has its own means, such as pg_amcheck
      close: () => database.close(),
    };
  },
});
