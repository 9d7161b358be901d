import { resolve } from 'node:path';
import { createAttemptStore, defineOldPlugin } from '../../../src/old-plugin.ts';
import { createActionStore } from './actions.ts';
import { Database } from './database.ts';
import { createDeviceStore } from './devices.ts';
import { createListStore } from './lists.ts';
import { createPodcastStore } from './podcasts.ts';
import { createSessionStore } from './sessions.ts';
import { createSettingStore } from './settings.ts';
import { createSubscriptionStore } from './subscriptions.ts';
import { createTransferStore } from './transfer.ts';
import { createUserStore } from './users.ts';

/** JSON files in a folder: `json` for podsync's own data folder, `json:FOLDER` for another. */
export default defineOldPlugin({
  name: 'json',
  contract: 1,
  parse: (location) => ({ folder: location }),
  async open({ folder }, context) {
    const database = await Database.open(resolve(context.dataDir, folder), context);
    return {
      users: createUserStore(database),
      sessions: createSessionStore(database),
      attempts: createAttemptStore(context.now),
      devices: createDeviceStore(database),
      subscriptions: createSubscriptionStore(database),
      actions: createActionStore(database),
      settings: createSettingStore(database),
      lists: createListStore(database),
      podcasts: createPodcastStore(database),
      transfer: createTransferStore(database),
      ping: async () => database.requireJournal(),
      verify: async () => undefined,
      close: () => database.close(),
    };
  },
});
