import type { Seconds, UserId } from '../../domain/types.ts';
import {
  ACCOUNTS,
  accountAppPasswords,
  accountPrefix,
  accountSessions,
  actionsPrefix,
  appPasswordKey,
  digestsIn,
  headKey,
  LOGINS,
  sessionKey,
  STAGED,
  stagedKey,
} from './account-keys.ts';
import { storedActions } from '../sync/action-log.ts';
import type { Batch, Entry, Key, Version } from '../contract.ts';
import type { Core } from './core.ts';
import { type Head, loginKeys } from './head.ts';
import { actionIndexKey } from '../directory/keys.ts';
import { under, urlDigest } from '../keys.ts';
import { listAll, scan } from '../rows.ts';
import { valueOf } from '../values.ts';

/** If the store is shared, a staged account whose record was not renewed for this long is abandoned. */
const LEASE: Seconds = 3600;

/** The range of all keys. */
const EVERYTHING = { from: ' ', until: '~' };

/** The value of `stagedKey`. Each batch renews it, so that only one process works on the account. */
export const stagedRecord = ({ context }: Core): string => JSON.stringify({ renewedAt: context.now() });

/**
 * Removes an account. One commit makes it invisible; its data is then removed in batches. After a crash, the rest is
 * removed when the storage is opened again.
 */
export const removeAccount = (core: Core, user: UserId): Promise<void> =>
  core.accounts.exclusive(user, async () => {
    // The answer of the commit may be lost. Readers of an account that is not cached wait.
    core.accounts.forget(user);
    for (;;) {
      const [entry] = await core.store.get([headKey(user)]);
      if (!entry) return;
      const version = await core.store.commit({
        check: [
          [headKey(user), entry.version],
          [stagedKey(user), 0],
        ],
        set: [[stagedKey(user), stagedRecord(core)]],
        delete: [headKey(user), ...loginKeys(valueOf<Head>(entry))],
      });
      if (version !== undefined) return removeAccountData(core, user, version);
    }
  });

/** Removes the data of accounts whose removal or import was interrupted. */
export async function removeAbandoned(core: Core): Promise<void> {
  const { store, context } = core;
  for (const entry of await listAll(store, under(STAGED))) {
    const { key, version } = entry;
    const { renewedAt } = valueOf<{ renewedAt: Seconds }>(entry);
    if (store.isShared && renewedAt > context.now() - LEASE) continue;
    const taken = await store.commit({ check: [[key, version]], set: [[key, stagedRecord(core)]] });
    if (taken !== undefined) await removeAccountData(core, key.slice(STAGED.length) as UserId, taken);
  }
}

/** Removes everything, beginning with logins and accounts, so that running writes are refused. */
export async function clearStore({ store, accounts }: Core): Promise<void> {
  for (const range of [under(STAGED), under(LOGINS), under(ACCOUNTS), EVERYTHING]) {
    for await (const page of scan(store, range)) await store.commit({ delete: page.map(({ key }) => key) });
  }
  accounts.forgetAll();
}

/** Removes all data of an account without a head. Stops if another process is doing so. */
export async function removeAccountData(core: Core, user: UserId, version: Version): Promise<void> {
  const { store, directory } = core;
  const key = stagedKey(user);
  let last = version;
  const remove = async (batch: Batch): Promise<boolean> => {
    const check = [[key, last] as const, ...(batch.check ?? [])];
    const stored = await store.commit({ ...batch, check, set: [...(batch.set ?? []), [key, stagedRecord(core)]] });
    last = stored ?? last;
    return stored !== undefined;
  };
  const removeAll = async (prefix: `${string}/`, besides: (page: Entry[]) => Key[] = () => []): Promise<boolean> => {
    for await (const page of scan(store, under(prefix))) {
      if (!(await remove({ delete: [...page.map((entry) => entry.key), ...besides(page)] }))) return false;
    }
    return true;
  };

  const podcasts = new Set<string>();
  const actionIndexKeysOf = (page: Entry[]): Key[] => {
    const urls = new Set(page.flatMap(storedActions).map(({ action }) => action.podcast));
    const unseen = [...urls].filter((url) => !podcasts.has(url));
    for (const url of unseen) podcasts.add(url);
    return unseen.map((url) => actionIndexKey(urlDigest(url), user));
  };

  await directory.refresh();
  const change = await directory.prepare(user, { unsubscribed: [...directory.subscriptionsOf(user)] });
  if (!(await remove({ set: change.set, delete: change.delete }))) return;
  await change.apply();
  const isRemoved =
    (await removeAll(actionsPrefix(user), actionIndexKeysOf)) &&
    (await removeAll(accountSessions(user), (page) => digestsIn(page).map(sessionKey))) &&
    (await removeAll(accountAppPasswords(user), (page) => digestsIn(page).map(appPasswordKey))) &&
    (await removeAll(accountPrefix(user)));
  if (isRemoved) await store.commit({ check: [[key, last]], delete: [key] });
}
