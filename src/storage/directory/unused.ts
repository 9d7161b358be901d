import type { Url } from '../../domain/types.ts';
import type { Batch, Entry, Key } from '../contract.ts';
import { podcastKey, tagKey, under, type UrlDigest, urlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import { collectDocuments, documentKeys } from './address-documents.ts';
import type { Directory } from './directory.ts';
import type { UnusedDocument } from './documents.ts';
import { type Address, type StoredPodcast, subscribersOf } from './podcast.ts';
import { KEPT_UNUSED } from './rules.ts';

/** URLs that are looked at in one step. */
const AT_ONCE = 200;

/**
 * Removes podcasts that nobody has subscribed to for 30 days and no account acted on or names, and what is left of feeds
 * that never came into the directory. `named`: all feeds that accounts name in lists and settings. Every step is checked
 * against what is stored, so that several processes may do this at once.
 */
export async function removeUnused(directory: Directory, named: () => AsyncIterable<readonly Url[]>): Promise<void> {
  const { memory } = directory;
  await removeForsaken(directory);
  const addresses = memory
    .all()
    .filter((podcast) => subscribersOf(podcast) === 0)
    .flatMap((podcast) => memory.addressesOf(podcast));
  const expired = new Set<UrlDigest>();
  for (const some of inParts(addresses)) for (const digest of await findExpired(directory, some)) expired.add(digest);
  for await (const urls of expired.size > 0 ? named() : []) for (const url of urls) expired.delete(urlDigest(url));

  const podcasts = new Set(addresses.map(({ home }) => home.podcast));
  for (const podcast of podcasts) {
    if (!podcast || !memory.addressesOf(podcast).every(({ digest }) => expired.has(digest))) continue;
    if (await isActedOn(directory, podcast)) continue;
    await remove(directory, podcast);
  }
  await removeUnusedTags(directory);
}

/**
 * Those of the URLs that had no subscriber all this time. The time is noted with the version of their number of
 * subscribers: another version means that somebody came meanwhile.
 */
async function findExpired({ store, context }: Directory, addresses: readonly Address[]): Promise<UrlDigest[]> {
  const now = context.now();
  const read = async (part: 'count' | 'unused'): Promise<(Entry | undefined)[]> =>
    store.get(addresses.map(({ digest }) => podcastKey(digest, part)));
  const [counts, notes] = [await read('count'), await read('unused')];
  const expired: UrlDigest[] = [];
  const batch = { check: [] as [Key, number][], set: [] as [Key, string][] };
  for (const [at, { digest }] of addresses.entries()) {
    const [count, note] = [counts[at], notes[at]];
    if (Number(count?.value ?? 0) > 0) continue;
    const version = count?.version ?? 0;
    const noted = note && (JSON.parse(note.value) as UnusedDocument);
    if (noted?.count === version) {
      if (noted.since <= now - KEPT_UNUSED) expired.push(digest);
      continue;
    }
    batch.check.push([podcastKey(digest, 'count'), version], [podcastKey(digest, 'unused'), note?.version ?? 0]);
    batch.set.push([
      podcastKey(digest, 'unused'),
      JSON.stringify({ since: now, count: version } satisfies UnusedDocument),
    ]);
  }
  // Where somebody subscribes at this moment, it is noted the next time.
  if (batch.set.length > 0) await store.commit(batch);
  return expired;
}

async function isActedOn({ store, memory }: Directory, podcast: StoredPodcast): Promise<boolean> {
  for (const { digest } of memory.addressesOf(podcast)) {
    if ((await store.list({ ...under(`a/${digest}/`), limit: 1 })).length > 0) return true;
  }
  return false;
}

/** Not where somebody subscribes at this moment, or the podcast is changed. */
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

/** Numbers of subscribers of feeds that were too many for the directory, and that nobody has any more. */
async function removeForsaken(directory: Directory): Promise<void> {
  const { store, memory } = directory;
  const forsaken = [...memory.waiting].flatMap(([digest, { count }]) => (count === 0 ? digest : []));
  for (const some of inParts(forsaken)) {
    const counts = await store.get(some.map((digest) => podcastKey(digest, 'count')));
    const privates = await store.get(some.map((digest) => podcastKey(digest, 'private')));
    const isRemoved = await removeEntries(
      directory,
      some.flatMap((_, at) => (counts[at]?.value === '0' ? [counts[at], privates[at]] : [])),
    );
    if (!isRemoved) continue;
    for (const digest of some) if (memory.waiting.get(digest)?.count === 0) memory.waiting.delete(digest);
  }
}

/** How tags were written that no podcast has any more. */
async function removeUnusedTags(directory: Directory): Promise<void> {
  const { store, memory } = directory;
  for (const tags of inParts(memory.tags.unused())) {
    const entries = await store.get(tags.map((tag) => tagKey(urlDigest(tag))));
    if (await removeEntries(directory, entries)) for (const tag of tags) memory.tags.forget(tag);
  }
}

/** Removes those that there are; not where any has changed. */
async function removeEntries({ store }: Directory, entries: readonly (Entry | undefined)[]): Promise<boolean> {
  const found = entries.filter((entry) => entry !== undefined);
  if (found.length === 0) return true;
  const check = found.map(({ key, version }) => [key, version] as const);
  return (await store.commit({ check, delete: found.map(({ key }) => key) })) !== undefined;
}

function* inParts<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let at = 0; at < items.length; at += AT_ONCE) yield items.slice(at, at + AT_ONCE);
}
