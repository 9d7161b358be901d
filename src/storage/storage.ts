import { exportAccount } from './accounts/account-export.ts';
import { importAccount } from './accounts/account-import.ts';
import { Accounts } from './accounts/accounts.ts';
import { createAppLoginStore } from './accounts/app-logins.ts';
import { createAppPasswordStore } from './accounts/app-passwords.ts';
import { createAttemptStore } from './accounts/attempts.ts';
import { createRefusalStore } from './accounts/refused-requests.ts';
import { clearStore, removeAbandoned } from './accounts/removal.ts';
import { createSessionStore } from './accounts/sessions.ts';
import { createSettingStore } from './accounts/settings.ts';
import { createUserStore } from './accounts/users.ts';
import { verifyLogins } from './accounts/verify-logins.ts';
import type { KeyValueStore } from './contract.ts';
import type { Core } from './core.ts';
import { Directory } from './directory/directory.ts';
import { createPodcastStore } from './directory/podcast-store.ts';
import { Refresh } from './directory/refresh.ts';
import { exportDirectory, importDirectory } from './directory/transfer.ts';
import { checkFormat } from './format.ts';
import { guardStore } from './guarded-store.ts';
import type { Storage, StorageContext } from './stores.ts';
import { createActionStore } from './sync/actions.ts';
import { createDeviceStore } from './sync/devices.ts';
import { createListStore } from './sync/podcast-lists.ts';
import { recountSubscribers } from './sync/recount.ts';
import { createServedMarkStore } from './sync/served-marks.ts';
import { createSubscriptionStore } from './sync/subscriptions.ts';

/**
 * Creates all stores on top of a key-value store, which is closed with them. Cleans up after a crash. Rejects as
 * `checkFormat` does.
 */
export async function createStorage(plugin: KeyValueStore, context: StorageContext): Promise<Storage> {
  const core = await openCore(guardStore(plugin), context);
  const { store, accounts, directory, refresh } = core;
  return {
    users: createUserStore(core),
    sessions: createSessionStore(core),
    appPasswords: createAppPasswordStore(core),
    attempts: createAttemptStore(core),
    appLogins: createAppLoginStore(core),
    devices: createDeviceStore(core),
    servedMarks: createServedMarkStore(core),
    refusals: createRefusalStore(core),
    subscriptions: createSubscriptionStore(core),
    actions: createActionStore(core),
    settings: createSettingStore(core),
    lists: createListStore(core),
    podcasts: createPodcastStore(core),
    transfer: {
      exportUser: (user) => exportAccount(core, user),
      importUser: (records) => importAccount(core, records),
      exportDirectory: () => exportDirectory(directory),
      async importDirectory(records) {
        await importDirectory(directory, records);
        await recountSubscribers(core); // by its former URLs, more feeds may be private
      },
      clear: () => clearStore(core),
    },
    ping: () => store.ping(),
    async verify() {
      await store.verify();
      await verifyLogins(core);
    },
    async close() {
      await accounts.drain();
      directory.memory.search.close();
      await refresh.close();
      await store.close();
    },
  };
}

/** Loads the directory, and cleans up after a crash. */
export async function openCore(store: KeyValueStore, context: StorageContext): Promise<Core> {
  await checkFormat(store);
  const directory = new Directory(store, context);
  const refresh = new Refresh(directory);
  const core: Core = { store, accounts: new Accounts(store), directory, refresh, context };
  await directory.load();
  await removeAbandoned(core, store.isShared ? undefined : 0);
  // Last: if anything fails before, nothing may go on in the background.
  directory.memory.search.buildSoon();
  refresh.start();
  return core;
}
