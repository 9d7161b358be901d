import type { Url, UserId } from '../../domain/types.ts';
import { headKey } from '../accounts/account-keys.ts';
import type { Head } from '../accounts/head.ts';
import { privateFeeds } from '../accounts/settings.ts';
import { userIds } from '../accounts/users.ts';
import type { Core } from '../core.ts';
import { prepareCorrection } from '../directory/account-changes.ts';
import { subscriberNumbers } from '../directory/podcast.ts';
import { unlessMissing } from '../errors.ts';
import type { UrlDigest } from '../keys.ts';
import { readValue } from '../values.ts';
import { SubscriptionLists } from './subscription-lists.ts';

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
    const lists = await SubscriptionLists.read(store, user);
    const head = await readValue<Head>(store, headKey(user));
    const isPrivate = head && (await privateFeeds(core, user, head));
    const { changed } = await prepareCorrection(directory, user, await lists.union(), isPrivate);
    if (changed.length === 0) continue;
    // The account may have changed meanwhile, so this is decided again.
    for (const digest of await correct(core, user)) corrected.add(memory.at(digest)?.url);
  }
  corrected.delete(undefined);
  return corrected.size;
}

/**
 * Corrects the subscriptions to a podcast that has moved: it is private now for accounts that have marked another of
 * its addresses as private.
 */
export async function recheckPrivacy(core: Core, url: Url): Promise<void> {
  const { accounts, directory, refresh } = core;
  const { memory } = directory;
  await refresh.run(); // more accounts may subscribe to it by now
  const podcast = memory.find(url);
  if (!podcast) return;
  const users = Array.from(subscriberNumbers(podcast.address), (number) => memory.accounts[number]!.id);
  for (const user of users) {
    // A write, because it follows a running change of the settings, which may not know of the move.
    const visibility = accounts.write(user, async ({ head }) => ({ result: head.visibility }));
    if ((await unlessMissing(visibility)) === 'some') await correct(core, user);
  }
}

/** Corrects the subscriptions of one account, which may not exist. Returns the feeds that were wrong. */
async function correct(core: Core, user: UserId): Promise<UrlDigest[]> {
  const { store, accounts, directory, refresh } = core;
  const correctExisting = accounts.write(user, async (account) => {
    await refresh.run(); // what another process has just changed is not wrong
    const urls = await (await accounts.part(account, 'subscriptions')).union();
    const isPrivate = await privateFeeds(core, user, account.head);
    const change = await prepareCorrection(directory, user, urls, isPrivate);
    return { result: change.changed, write: change.changed.length > 0 ? { directory: change } : undefined };
  });
  const corrected = await unlessMissing(correctExisting);
  if (corrected) return corrected;
  await refresh.run();
  const { set, delete: deleted, apply, changed } = await prepareCorrection(directory, user, []);
  const version = await store.commit({ check: [[headKey(user), 0]], set, delete: deleted });
  if (version === undefined) return correct(core, user);
  await apply();
  return changed;
}
