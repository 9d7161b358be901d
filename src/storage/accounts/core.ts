import type { KeyValueStore } from '../contract.ts';
import type { DirectoryWriter } from '../directory/account-changes.ts';
import type { StorageContext } from '../stores.ts';
import type { Accounts } from './accounts.ts';

/** What the account stores share. */
export interface Core {
  store: KeyValueStore;
  accounts: Accounts;
  directory: DirectoryWriter;
  context: StorageContext;
}
