import { exportAccount } from './accounts/account-export.ts';
import { importAccount } from './accounts/account-import.ts';
import { createActionStore } from './sync/actions.ts';
import { createAppPasswordStore } from './accounts/app-passwords.ts';
import { createAttemptStore } from './accounts/attempts.ts';
import type { KeyValueStore } from './contract.ts';
import type { Core } from './accounts/core.ts';
import { createDeviceStore } from './sync/devices.ts';
import { openDirectory } from './directory/open.ts';
import { checkFormat } from './format.ts';
import { guardStore } from './guarded-store.ts';
import { createListStore } from './sync/podcast-lists.ts';
import { createLoginStore } from './accounts/login-grants.ts';
import { namedFeeds } from './sync/named-feeds.ts';
import { createRefusalStore } from './accounts/refused-requests.ts';
import { clearStore, removeAbandoned } from './accounts/removal.ts';
import { createServedMarkStore } from './sync/served-marks.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { createSettingStore } from './accounts/settings.ts';
import { createSharedAttemptStore } from './accounts/shared-attempts.ts';
import type { Storage, StorageContext } from './stores.ts';
import { recountSubscribers } from './sync/recount.ts';
import { createSubscriptionStore } from './sync/subscriptions.ts';
import { Accounts } from './accounts/accounts.ts';
import { createUserStore } from './accounts/users.ts';
import { addPendingFeeds } from './sync/new-feeds.ts';

/**
 * Creates all stores on top of a key-value store, which is closed with them. Cleans up after a crash. Rejects as
 * `checkFormat` does.
 */
export async function createStorage(plugin: KeyValueStore, context: StorageContext): Promise<Storage> {
  const store = guardStore(plugin);
  const { isShared } = store;
  await checkFormat(store);
  const accounts = new Accounts(store, context.now);
  const directory = await openDirectory(store, context, {
    namedFeeds: () => namedFeeds(core),
    recountSubscribers: (currentUrl) => recountSubscribers(core, currentUrl),
    addPendingFeeds: (user, isPending) => addPendingFeeds(core, user, isPending),
  });
  const core: Core = { store, accounts, directory: directory.writer, context };
  await removeAbandoned(core);
  return {
    users: createUserStore(core),
    sessions: createSessionStore(core),
    appPasswords: createAppPasswordStore(core),
    attempts: isShared ? createSharedAttemptStore(core) : createAttemptStore(context.now),
    logins: createLoginStore(core),
    devices: createDeviceStore(core),
    servedMarks: createServedMarkStore(core),
    refusals: createRefusalStore(core),
    subscriptions: createSubscriptionStore(core),
    actions: createActionStore(core),
    settings: createSettingStore(core),
    lists: createListStore(core),
    podcasts: directory.podcasts,
    transfer: {
      exportUser: (user) => exportAccount(core, user),
      importUser: (records) => importAccount(core, records),
      exportDirectory: directory.exportDirectory,
      importDirectory: directory.importDirectory,
      async clear() {
        await clearStore(core);
        directory.clear();
      },
    },
    ping: () => store.ping(),
    verify: () => store.verify(),
    async close() {
      await accounts.drain();
      await directory.close();
      await store.close();
    },
  };
}
