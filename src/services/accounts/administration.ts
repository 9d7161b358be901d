import { inBatches } from '../../batches.ts';
import type { ListSummary, Seconds, UserId } from '../../domain/types.ts';
import { isStorageError, type StorageError } from '../../storage/errors.ts';
import type { DeviceSummary, RefusedRequest, Storage, User } from '../../storage/stores.ts';
import { checkEmail, checkUserName, refuseConflict, requireUser } from './accounts.ts';
import type { AppPasswords, OwnAppPassword } from './app-passwords.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

export interface AccountSummary {
  user: User;
  devices: number;
  /** Feeds on any device, each once. */
  subscriptions: number;
  lastSyncAt: Seconds | undefined;
}

export interface AccountDetails {
  user: User;
  /** When a device last synced, or an app password was last used; accurate to the hour. */
  lastSyncAt: Seconds | undefined;
  subscriptions: number;
  actions: number;
  sessions: number;
  appPasswords: OwnAppPassword[];
  devices: DeviceSummary[];
  lists: ListSummary[];
  refusals: RefusedRequest[];
}

/**
 * Accounts, for the operator and their owners. `login` is a user name or e-mail address; throws `missing` if no account has
 * it, `conflict` if the data of the account is missing.
 */
export interface Administration {
  find(login: string): Promise<User>;
  /** By name. An account whose data is missing or cannot be read is left out, and `onDamage` called. */
  list(onDamage: (login: string, error: StorageError) => void): AsyncIterable<AccountSummary>;
  show(login: string): Promise<AccountDetails>;
  /** Ends the sessions of the user. Throws `invalid` for a password that is not allowed. */
  setPassword(login: string, password: string): Promise<void>;
  /** Throws `invalid` for a name that is not allowed, `conflict` if it is taken. */
  rename(login: string, name: string): Promise<void>;
  /** Undefined removes it. Throws `invalid` for an invalid address, `conflict` if it is taken. */
  setEmail(login: string, email: string | undefined): Promise<void>;
  /** Deletes the user with all data, even if that is missing or cannot be read. */
  remove(login: string): Promise<void>;
}

/** Accounts that are read concurrently. */
const READ_AT_ONCE = 20;

export function createAdministration(
  { users, devices, subscriptions, actions, lists, refusals }: Storage,
  passwords: Pick<Passwords, 'hash'>,
  sessions: Pick<Sessions, 'all'>,
  appPasswords: Pick<AppPasswords, 'all'>,
): Administration {
  const find = (login: string): Promise<User> => requireUser(users, login);

  const read = async (user: User) => {
    const ofAccount = {
      devices: await devices.all(user.id),
      appPasswords: await appPasswords.all(user.id),
    };
    const { length } = await subscriptions.current(user.id);
    return { user, ...ofAccount, subscriptions: length, lastSyncAt: lastSyncOf(ofAccount) };
  };

  const countActions = async (user: UserId): Promise<number> => {
    let count = 0;
    for await (const page of (await actions.query(user, {})).pages) count += page.length;
    return count;
  };

  return {
    find,

    async *list(onDamage) {
      const summarize = async (user: User): Promise<AccountSummary | undefined> => {
        try {
          const { devices: all, subscriptions: count, lastSyncAt } = await read(user);
          return { user, devices: all.length, subscriptions: count, lastSyncAt };
        } catch (error) {
          if (isStorageError(error, 'corrupt')) onDamage(user.name, error);
          else if (!isStorageError(error, 'missing')) throw error; // it was deleted meanwhile
          return undefined;
        }
      };
      for (const some of inBatches(await users.all(onDamage), READ_AT_ONCE)) {
        for (const summary of await Promise.all(some.map(summarize))) if (summary) yield summary;
      }
    },

    async show(login) {
      const found = await read(await find(login));
      const { id } = found.user;
      return {
        ...found,
        sessions: (await sessions.all(id)).length,
        actions: await countActions(id),
        lists: await lists.all(id),
        refusals: await refusals.all(id),
      };
    },

    async setPassword(login, password) {
      const { id } = await find(login);
      await users.update(id, { passwordHash: await passwords.hash(password) });
    },

    async rename(login, name) {
      checkUserName(name);
      const { id } = await find(login);
      await users.update(id, { name }).catch(refuseConflict);
    },

    async setEmail(login, email) {
      if (email !== undefined) checkEmail(email);
      const { id } = await find(login);
      await users.update(id, { email }).catch(refuseConflict);
    },

    async remove(login) {
      const id = await users.findId(login);
      await users.delete(id ?? (await find(login)).id); // which throws `missing`
    },
  };
}

/** Sessions are ignored: browsers have them, too, and do not sync. */
function lastSyncOf({ devices, appPasswords }: Pick<AccountDetails, 'devices' | 'appPasswords'>): Seconds | undefined {
  const times = [...devices.map(({ syncedAt }) => syncedAt), ...appPasswords.map(({ usedAt }) => usedAt)];
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
