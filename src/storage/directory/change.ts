import type { Seconds } from '../../domain/types.ts';
import type { Batch, Key, Value, Version } from '../contract.ts';
import { changedKey, podcastKey, tagKey, type UrlDigest, urlDigest } from '../keys.ts';
import type { PodcastDocument, TagDocument, UrlDocument } from './documents.ts';
import type { EpisodeBatch } from './episode-store.ts';
import { type Address, type PodcastFields, type StoredPodcast, urlsOf } from './podcast.ts';

/** What becomes of a podcast. */
export interface PodcastChange {
  podcast: PodcastFields;
  /** Those that it takes the place of, itself as it was among them. */
  replaces: readonly StoredPodcast[];
  /** Undefined where the episodes stay as they are. */
  episodes?: EpisodeBatch | undefined;
  /** Whether the feed may be claimed again. */
  endsLease?: boolean;
}

/** What a batch depends on. */
export interface Surroundings {
  isShared: boolean;
  now: Seconds;
  addressAt(digest: UrlDigest): Address | undefined;
  /** Titles of tags that nobody knew. */
  tags: readonly TagDocument[];
}

/** Stores a change in one step, or not where any of the podcasts has been changed meanwhile. */
export function toBatch({ podcast, replaces, episodes, endsLease }: PodcastChange, around: Surroundings): Batch {
  const { isShared, now, addressAt, tags } = around;
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
    // One that was never read may be removed at this moment.
    if (!address || address.home.podcast?.version === 0) {
      const document: UrlDocument = { url, since: now };
      set.push([podcastKey(digest, 'url'), JSON.stringify(document)]);
      check.push([podcastKey(digest, 'podcast'), 0]);
    }
    if (endsLease && isShared) deleted.push(podcastKey(digest, 'lease'));
    if (digest !== home && address?.home.digest === home) continue; // it leads there already
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
