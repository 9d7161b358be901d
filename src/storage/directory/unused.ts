import type { Seconds, Url } from '../../domain/types.ts';
import type { Batch, Entry, Key } from '../contract.ts';
import { podcastKey, tagKey, under, type UrlDigest, urlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';
import { collectDocuments, documentKeys, type UnusedDocument } from './documents.ts';
import { type Address, type StoredPodcast, subscribersOf } from './podcast.ts';

/** How long an unused podcast is kept. */
const UNUSED_RETENTION: Seconds = 30 * 86_400;
/** URLs per batch. */
const AT_ONCE = 200;

/**
 * Removes podcasts that had no subscribers for 30 days, no episode actions, and no place in a list or setting; and
 * orphaned counts of feeds that were never added to the directory. `named`: all feeds in lists and settings. Every
 * commit checks versions, so that several processes may run this at once.
 */
export async function removeUnused(directory: Directory, named: () => AsyncIterable<readonly Url[]>): Promise<void> {
  const { memory } = directory;
  await removeOrphanedCounts(directory);
  const addresses = memory
    .all()
    .filter((podcast) => subscribersOf(podcast) === 0)
    .flatMap((podcast) => memory.addressesOf(podcast));
  const expired = new Set<UrlDigest>();
  for (const some of inBatches(addresses)) for (const digest of await findExpired(directory, some)) expired.add(digest);
  for await (const urls of expired.size > 0 ? named() : []) for (const url of urls) expired.delete(urlDigest(url));

  const podcasts = new Set(addresses.map(({ home }) => home.podcast));
  for (const podcast of podcasts) {
    if (!podcast || !memory.addressesOf(podcast).every(({ digest }) => expired.has(digest))) continue;
    if (await hasActions(directory, podcast)) continue;
    await remove(directory, podcast);
  }
  await removeUnusedTags(directory);
}

/**
 * URLs without subscribers for that time. The start is stored with the version of the subscriber count: another version
 * means that there was a subscriber meanwhile.
 */
async function findExpired({ store, context }: Directory, addresses: readonly Address[]): Promise<UrlDigest[]> {
  const now = context.now();
  const read = async (part: 'count' | 'unused'): Promise<(Entry | undefined)[]> =>
    store.get(addresses.map(({ digest }) => podcastKey(digest, part)));
  const [counts, unusedEntries] = [await read('count'), await read('unused')];
  const expired: UrlDigest[] = [];
  const batch = { check: [] as [Key, number][], set: [] as [Key, string][] };
  for (const [at, { digest }] of addresses.entries()) {
    const [count, unused] = [counts[at], unusedEntries[at]];
    if (Number(count?.value ?? 0) > 0) continue;
    const version = count?.version ?? 0;
    const stored = unused && (JSON.parse(unused.value) as UnusedDocument);
    if (stored?.count === version) {
      if (stored.since <= now - UNUSED_RETENTION) expired.push(digest);
      continue;
    }
    batch.check.push([podcastKey(digest, 'count'), version], [podcastKey(digest, 'unused'), unused?.version ?? 0]);
    batch.set.push([
      podcastKey(digest, 'unused'),
      JSON.stringify({ since: now, count: version } satisfies UnusedDocument),
    ]);
  }
  // If a check fails because somebody subscribes concurrently, the next run stores it.
  if (batch.set.length > 0) await store.commit(batch);
  return expired;
}

async function hasActions({ store, memory }: Directory, podcast: StoredPodcast): Promise<boolean> {
  for (const { digest } of memory.addressesOf(podcast)) {
    if ((await store.list({ ...under(`a/${digest}/`), limit: 1 })).length > 0) return true;
  }
  return false;
}

/** Does nothing if somebody subscribes concurrently, or the podcast is changed. */
async function remove(directory: Directory, podcast: StoredPodcast): Promise<void> {
  const { store, memory, context, leases } = directory;
  if (leases.isHeld(podcast, context.now())) return;
  const digests = memory.addressesOf(podcast).map(({ digest }) => digest);
  const entries = await store.get(digests.flatMap((digest) => [...documentKeys(digest), podcastKey(digest, 'unused')]));
  const found = entries.filter((entry) => entry !== undefined);
  const documents = collectDocuments(found);
  if (documents.get(podcast.address.digest)?.version !== podcast.version) return;
  if (digests.some((digest) => (documents.get(digest)?.count ?? 0) > 0)) return;
  const batch: Batch & { delete: Key[] } = {
    check: found.map(({ key, version }) => [key, version] as const),
    set: directory.changes(digests),
    delete: found.map(({ key }) => key),
  };
  for await (const page of scan(store, under(`e/${podcast.address.digest}/`))) {
    for (const { key } of page) batch.delete.push(key);
  }
  if ((await store.commit(batch)) !== undefined) await directory.reload(digests, true);
}

/** Removes the counts of pending feeds that have no subscribers any more. */
async function removeOrphanedCounts(directory: Directory): Promise<void> {
  const { store, memory } = directory;
  const orphaned = [...memory.pendingFeeds].flatMap(([digest, { count }]) => (count === 0 ? digest : []));
  for (const some of inBatches(orphaned)) {
    const counts = await store.get(some.map((digest) => podcastKey(digest, 'count')));
    const privates = await store.get(some.map((digest) => podcastKey(digest, 'private')));
    const isRemoved = await removeEntries(
      directory,
      some.flatMap((_, at) => (counts[at]?.value === '0' ? [counts[at], privates[at]] : [])),
    );
    if (!isRemoved) continue;
    for (const digest of some) if (memory.pendingFeeds.get(digest)?.count === 0) memory.pendingFeeds.delete(digest);
  }
}

/** Removes the titles of tags without podcasts. */
async function removeUnusedTags(directory: Directory): Promise<void> {
  const { store, memory } = directory;
  for (const tags of inBatches(memory.tags.unused())) {
    const entries = await store.get(tags.map((tag) => tagKey(urlDigest(tag))));
    if (await removeEntries(directory, entries)) for (const tag of tags) memory.tags.forget(tag);
  }
}

/** Removes existing entries, unless one of them has changed. Returns whether it did. */
async function removeEntries({ store }: Directory, entries: readonly (Entry | undefined)[]): Promise<boolean> {
  const found = entries.filter((entry) => entry !== undefined);
  if (found.length === 0) return true;
  const check = found.map(({ key, version }) => [key, version] as const);
  return (await store.commit({ check, delete: found.map(({ key }) => key) })) !== undefined;
}

function* inBatches<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let at = 0; at < items.length; at += AT_ONCE) yield items.slice(at, at + AT_ONCE);
}
