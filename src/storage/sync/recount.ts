import type { Url, UserId } from '../../domain/types.ts';
import { headKey, subscriptionsPrefix } from '../accounts/account-keys.ts';
import type { Core } from '../accounts/core.ts';
import { isStorageError } from '../errors.ts';
import { under, type UrlDigest, urlDigest } from '../keys.ts';
import { listAll } from '../rows.ts';
import { SubscriptionLists } from './subscription-lists.ts';
import { prepareDirectory } from './upload.ts';
import { userIds } from '../accounts/users.ts';

/**
 * Corrects the subscriptions in the directory that differ from those of the accounts. Returns the number of podcasts
 * that were counted wrong.
 */
export async function recountSubscribers(core: Core): Promise<number> {
  const { store, directory, refresh } = core;
  const { memory } = directory;
  await refresh.run();
  const users = new Set(memory.accounts.flatMap(({ id, subscriptions }) => (subscriptions.size > 0 ? id : [])));
  for await (const user of userIds(store)) users.add(user);
  const corrected = new Set<Url | undefined>();
  for (const user of users) {
    const lists = SubscriptionLists.read(user, await listAll(store, under(subscriptionsPrefix(user))));
    if (difference(core, user, lists.union()).wrong.length === 0) continue;
    // The account may have changed meanwhile, so this is decided again.
    for (const digest of await correct(core, user)) corrected.add(memory.at(digest)?.url);
  }
  corrected.delete(undefined);
  return corrected.size;
}

/** Corrects the subscriptions of one account, which may not exist. Returns the feeds that were wrong. */
async function correct(core: Core, user: UserId): Promise<UrlDigest[]> {
  const { store, accounts, directory, refresh } = core;
  try {
    return await accounts.write(user, async (account) => {
      const urls = (await accounts.part(account, 'subscriptions')).union();
      await refresh.run(); // another process may have changed both meanwhile
      const { wrong, ...change } = difference(core, user, urls);
      if (wrong.length === 0) return { result: [] };
      return { result: wrong, write: { directory: await prepareDirectory(core, account, change) } };
    });
  } catch (error) {
    if (!isStorageError(error, 'missing')) throw error;
    await refresh.run();
    const { wrong, ...change } = difference(core, user, []);
    const { set, delete: deleted, apply } = await directory.prepare(user, change);
    const version = await store.commit({ check: [[headKey(user), 0]], set, delete: deleted });
    if (version === undefined) return correct(core, user);
    await apply();
    return wrong;
  }
}

/** What the directory does not know of the subscriptions of an account, as a change, and all feeds in it. */
function difference({ directory }: Core, user: UserId, urls: readonly Url[]) {
  const known = directory.memory.digestsOf(user);
  const current = new Map(urls.map((url) => [urlDigest(url), url]));
  const missing = [...current].filter(([digest]) => !known.has(digest));
  const unsubscribed = [...known].filter((digest) => !current.has(digest));
  const wrong = [...missing.map(([digest]) => digest), ...unsubscribed];
  return { subscribed: missing.map(([, url]) => url), unsubscribed, newFeeds: 0, wrong };
}
