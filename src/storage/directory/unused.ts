import { inBatches } from '../../batches.ts';
import type { Seconds, Url } from '../../domain/types.ts';
import { listsPrefix, settingsPrefix } from '../accounts/account-keys.ts';
import type { StoredSetting } from '../accounts/settings.ts';
import { userIds } from '../accounts/users.ts';
import type { Entry, Key } from '../contract.ts';
import type { Core } from '../core.ts';
import { hasKeys, readRows, scan } from '../rows.ts';
import { valueOf, valuesOf } from '../values.ts';
import type { Directory } from './directory.ts';
import { documentKeys, groupByUrl, type UrlDocument } from './documents.ts';
import { actionIndexPrefix, episodesPrefix, podcastKey, subscribersPrefix, tagKey } from './keys.ts';
import { type StoredPodcast, subscribersOf } from './podcast.ts';

/** How long an unused podcast is kept. */
const RETENTION: Seconds = 30 * 86_400;
/** Podcasts or tags per batch. */
const AT_ONCE = 200;

/**
 * Removes podcasts that had no subscribers for 30 days and are in no episode action, list or setting. Every commit
 * checks versions, so that several processes may run this at once.
 */
export async function removeUnused(core: Core): Promise<void> {
  const { directory, refresh } = core;
  const { memory } = directory;
  await refresh.run(); // another process may use some of them now
  const unused = memory.all().filter((podcast) => subscribersOf(podcast) === 0);
  const expired = new Set<StoredPodcast | undefined>();
  for (const some of inBatches(unused, AT_ONCE)) {
    for (const podcast of await findExpired(directory, some)) expired.add(podcast);
  }
  const named = expired.size > 0 ? namedFeeds(core) : [];
  for await (const urls of named) for (const url of urls) expired.delete(memory.find(url));
  for (const podcast of expired) await remove(directory, podcast!);
  for (const tags of inBatches(memory.tags.unused(), AT_ONCE)) await removeTags(directory, tags);
}

/** All feeds in lists and settings, account by account, in pages. */
async function* namedFeeds({ store }: Core): AsyncGenerator<readonly Url[]> {
  for await (const user of userIds(store)) {
    for await (const page of scan(store, listsPrefix(user))) yield readRows<Url>(page);
    for await (const page of scan(store, settingsPrefix(user))) {
      yield valuesOf<StoredSetting>(page).flatMap(({ scope }) => ('podcast' in scope ? scope.podcast : []));
    }
  }
}

/** Those of these podcasts that have been unused for that time. */
async function findExpired({ store, context }: Directory, podcasts: readonly StoredPodcast[]) {
  const entries = await store.get(podcasts.map(({ address }) => podcastKey(address.digest, 'url')));
  const isExpired = (entry: Entry): boolean => valueOf<UrlDocument>(entry).since <= context.now() - RETENTION;
  return podcasts.filter((_, at) => entries[at] && isExpired(entries[at]));
}

/** Does nothing if it has episode actions, somebody subscribes concurrently, or it is changed. */
async function remove(directory: Directory, podcast: StoredPodcast): Promise<void> {
  const { store } = directory;
  const { addresses, digest: current } = podcast.address;
  const digests = addresses.map(({ digest }) => digest);
  const entries = await store.get(digests.flatMap(documentKeys));
  const found = entries.filter((entry) => entry !== undefined);
  if (groupByUrl(found).get(current)?.version !== podcast.version) return;
  for (const digest of digests) {
    if ((await hasKeys(store, subscribersPrefix(digest))) || (await hasKeys(store, actionIndexPrefix(digest)))) return;
  }
  const deleted: Key[] = found.map(({ key }) => key);
  for await (const page of scan(store, episodesPrefix(current))) deleted.push(...page.map(({ key }) => key));
  const check = found.map(({ key, version }) => [key, version] as const);
  const version = await store.commit({ check, set: directory.notifications(digests), delete: deleted });
  if (version !== undefined) await directory.reload(digests);
}

/** Removes the titles of tags without podcasts. */
async function removeTags({ store, memory }: Directory, tags: readonly string[]): Promise<void> {
  const found = (await store.get(tags.map(tagKey))).filter((entry) => entry !== undefined);
  const check = found.map(({ key, version }) => [key, version] as const);
  if ((await store.commit({ check, delete: found.map(({ key }) => key) })) === undefined) return;
  for (const tag of tags) memory.tags.forget(tag);
}
