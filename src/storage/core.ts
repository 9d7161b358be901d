import type { Accounts } from './accounts/accounts.ts';
import type { KeyValueStore } from './contract.ts';
import type { Directory } from './directory/directory.ts';
import type { Refresh } from './directory/refresh.ts';
import type { StorageContext } from './stores.ts';

/** What the stores share. */
export interface Core {
  store: KeyValueStore;
  accounts: Accounts;
  directory: Directory;
  /** Brings the directory up to date with other processes. */
  refresh: Refresh;
  context: StorageContext;
}
