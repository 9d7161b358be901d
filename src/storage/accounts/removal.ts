import type { Seconds, UserId } from '../../domain/types.ts';
import type { Entry, Key, KeyValueStore } from '../contract.ts';
import type { Core } from '../core.ts';
import { prepareCorrection } from '../directory/account-changes.ts';
import { actionIndexKey } from '../directory/keys.ts';
import { isStorageError } from '../errors.ts';
import { urlDigest } from '../keys.ts';
import { listAll, scan } from '../rows.ts';
import type { GrantedLogin } from '../stores.ts';
import { storedActions } from '../sync/action-log.ts';
import { valueOf } from '../values.ts';
import { ACCOUNTS, accountPrefix, actionsPrefix, headKey, APP_LOGINS, LOGINS, STAGED } from './account-keys.ts';
import { APP_PASSWORDS, SESSIONS } from './digest-table.ts';
import type { Head } from './head.ts';
import { loginKeys, userIn } from './logins.ts';
import { StagedWriter } from './staged-writer.ts';

/** A staged account whose record was not renewed for this long is abandoned. */
const LEASE: Seconds = 3600;

/** The range of all keys. */
const EVERYTHING = { from: ' ', until: '~' };

/**
 * Removes an account, also one without a head, or with one that cannot be read. One commit makes it invisible; its data is
 * then removed in batches. After a crash, `removeAbandoned` removes the rest.
 */
export const removeAccount = (core: Core, user: UserId): Promise<void> =>
  core.accounts.exclusive(user, async () => {
    // The answer of the commit may be lost. Readers of an account that is not cached wait.
    core.accounts.forget(user);
    const staged = new StagedWriter(core, user);
    for (;;) {
      const [entry] = await core.store.get([headKey(user)]).catch(noneIfCorrupt);
      const logins = entry ? loginKeys(valueOf<Head>(entry)) : await findLogins(core, user);
      if (logins.length === 0) return;
      const isRemoved = await staged.commit(
        entry ? { check: [[headKey(user), entry.version]], delete: [headKey(user), ...logins] } : { delete: logins },
      );
      if (isRemoved) return removeAccountData(core, user, staged);
    }
  });

function noneIfCorrupt(error: unknown): [] {
  if (isStorageError(error, 'corrupt')) return [];
  throw error;
}

/** The keys of all logins of an account. */
const findLogins = async ({ store }: Core, user: UserId): Promise<Key[]> =>
  keysOf((await listAll(store, LOGINS)).filter((login) => userIn(login) === user));

/**
 * Removes the data of accounts whose removal or import was interrupted. `lease`: how long it may go on without a
 * renewal; 0 if none can be running.
 */
export async function removeAbandoned(core: Core, lease = LEASE): Promise<void> {
  const { store, context } = core;
  for (const entry of await listAll(store, STAGED)) {
    const { key, version } = entry;
    const { renewedAt } = valueOf<{ renewedAt: Seconds }>(entry);
    if (lease > 0 && renewedAt > context.now() - lease) continue;
    const user = key.slice(STAGED.length) as UserId;
    const staged = new StagedWriter(core, user, version);
    if (await staged.commit({})) await removeAccountData(core, user, staged);
  }
}

/** Removes everything, beginning with logins and accounts, so that running writes are refused. */
export async function clearStore({ store, accounts, directory }: Core): Promise<void> {
  for (const keys of [STAGED, LOGINS, ACCOUNTS, EVERYTHING]) {
    for await (const page of scan(store, keys)) await store.commit({ delete: keysOf(page) });
  }
  accounts.forgetAll();
  await directory.clear();
}

/**
 * Removes all data of an account without a head. Stops if another process is doing so. What cannot be read stays, and is
 * tried again when the storage is opened: it must neither keep the storage from being opened nor the account visible.
 */
export async function removeAccountData(core: Core, user: UserId, staged: StagedWriter): Promise<void> {
  await removeReadable(core, user, staged).catch((error: unknown) => {
    if (!isStorageError(error, 'corrupt')) throw error;
    const { message } = error;
    core.context.log('warn', `some data of a removed account is still stored: ${message}, or delete what is damaged`);
  });
}

async function removeReadable(core: Core, user: UserId, staged: StagedWriter): Promise<void> {
  const { store, directory, refresh } = core;
  await refresh.run();
  const change = await prepareCorrection(directory, user, []);
  if (!(await staged.commit(change))) return;
  await change.apply();
  for await (const keys of dataKeys(store, user)) if (!(await staged.commit({ delete: keys }))) return;
  const isOwn = (entry: Entry): boolean => valueOf<GrantedLogin>(entry).user === user;
  const grants = keysOf((await listAll(store, APP_LOGINS)).filter(isOwn));
  await staged.commit({ delete: grants }, true);
}

/** The keys of an account, and those elsewhere that are found through them, in pages. */
async function* dataKeys(store: KeyValueStore, user: UserId): AsyncGenerator<Key[]> {
  for (const table of [SESSIONS, APP_PASSWORDS]) {
    for await (const page of scan(store, table.index(user))) yield [...keysOf(page), ...table.rowKeys(page)];
  }
  for await (const page of scan(store, accountPrefix(user))) yield keysOf(page);
  for await (const page of scan(store, actionsPrefix(user))) {
    const urls = new Set(page.flatMap(storedActions).map(({ action }) => action.podcast));
    yield [...keysOf(page), ...Array.from(urls, (url) => actionIndexKey(urlDigest(url), user))];
  }
}

const keysOf = (entries: readonly Entry[]): Key[] => entries.map(({ key }) => key);
