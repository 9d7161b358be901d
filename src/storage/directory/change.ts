import type { Seconds } from '../../domain/types.ts';
import type { Batch, Key, Value, Version } from '../contract.ts';
import { changedKey, podcastKey, tagKey, type UrlDigest, urlDigest } from '../keys.ts';
import type { PodcastDocument, TagDocument, UrlDocument } from './documents.ts';
import type { EpisodeBatch } from './episode-store.ts';
import { type Address, type PodcastFields, type StoredPodcast, urlsOf } from './podcast.ts';

/** A change of one podcast. */
export interface PodcastChange {
  podcast: PodcastFields;
  /** The stored podcasts that it replaces, its own previous version included. */
  replaces: readonly StoredPodcast[];
  /** Undefined if the episodes do not change. */
  episodes?: EpisodeBatch | undefined;
  /** Whether to release the lease of the feed. */
  endsLease?: boolean;
}

/** What else `toBatch` needs to know. */
export interface BatchContext {
  isShared: boolean;
  now: Seconds;
  addressAt(digest: UrlDigest): Address | undefined;
  /** Titles of new tags. */
  tags: readonly TagDocument[];
}

/** The batch that stores a change. It fails if any of the replaced podcasts has changed meanwhile. */
export function toBatch({ podcast, replaces, episodes, endsLease }: PodcastChange, context: BatchContext): Batch {
  const { isShared, now, addressAt, tags } = context;
  const home = urlDigest(podcast.url);
  const check: [Key, Version][] = replaces.map(({ address, version }) => [
    podcastKey(address.digest, 'podcast'),
    version,
  ]);
  const set: [Key, Value][] = [...(episodes?.set ?? [])];
  const deleted: Key[] = [...(episodes?.delete ?? [])];
  const changed = new Set<UrlDigest>();

  for (const url of urlsOf(podcast)) {
    const digest = urlDigest(url);
    const address = addressAt(digest);
    // A podcast whose feed was never fetched may be removed concurrently.
    if (!address || address.home.podcast?.version === 0) {
      const document: UrlDocument = { url, since: now };
      set.push([podcastKey(digest, 'url'), JSON.stringify(document)]);
      check.push([podcastKey(digest, 'podcast'), 0]);
    }
    if (endsLease && isShared) deleted.push(podcastKey(digest, 'lease'));
    if (digest !== home && address?.home.digest === home) continue; // already points to it
    const document = digest === home ? toDocument(podcast) : { movedTo: podcast.url };
    set.push([podcastKey(digest, 'podcast'), JSON.stringify(document)]);
    changed.add(digest);
  }
  for (const tag of tags) {
    const key = tagKey(urlDigest(tag.tag));
    check.push([key, 0]);
    set.push([key, JSON.stringify(tag)]);
  }
  if (isShared) for (const digest of changed) set.push([changedKey(now, digest), '1']);
  return { check, set, delete: deleted };
}

function toDocument(podcast: PodcastFields): PodcastDocument {
  const { title, author, description, website, logoUrl, language, tags, blocked, feed, newestEpisode } = podcast;
  const document = { title, author, description, website, logoUrl, language, tags, blocked, feed };
  return newestEpisode === undefined ? document : { ...document, newestEpisode };
}
