import type { Seconds } from '../../domain/types.ts';
import type { Batch, Key, Value, Version } from '../contract.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import { toDocument, type UrlDocument } from './documents.ts';
import type { EpisodeBatch } from './episode-store.ts';
import type { ChunkedEpisode } from './episodes.ts';
import { changeKey, podcastKey } from './keys.ts';
import { type PodcastFields, type StoredPodcast, urlsOf } from './podcast.ts';

/** A change of one podcast. */
export interface PodcastChange {
  /** `formerUrls` and `newestEpisode` need not include those of the replaced podcasts and their episodes. */
  podcast: PodcastFields;
  /** The stored podcasts that it replaces, its own previous version included. */
  replaces: readonly StoredPodcast[];
  /** The episodes of the replaced podcasts, and those after the change; undefined if they do not change. */
  episodes?: { before: readonly ChunkedEpisode[]; after: readonly ChunkedEpisode[] };
  /** Whether to release the lease of the feed. */
  endsLease?: boolean;
}

/** The podcast after a change. */
export function toChanged({ podcast, replaces, episodes }: PodcastChange): PodcastFields {
  const { address: _, version: __, newestEpisode: ___, ...fields } = podcast as StoredPodcast;
  const former = new Set([...podcast.formerUrls, ...replaces.flatMap(urlsOf)]);
  former.delete(podcast.url);
  const known = replaces.map(({ newestEpisode = 0 }) => newestEpisode);
  const newest = (episodes?.after ?? []).reduce((max, { stamp }) => Math.max(max, stamp), Math.max(0, ...known));
  return { ...fields, formerUrls: [...former], ...(newest > 0 && { newestEpisode: newest }) };
}

/** What else `toBatch` needs to know. */
export interface BatchContext {
  isShared: boolean;
  now: Seconds;
  /** The podcast in memory with this URL. */
  podcastAt(digest: UrlDigest): StoredPodcast | undefined;
}

/** The batch that makes a podcast of those that it replaces. It fails if any of these has changed meanwhile. */
export function toBatch(
  podcast: PodcastFields,
  { replaces, endsLease }: PodcastChange,
  episodes: EpisodeBatch | undefined,
  { isShared, now, podcastAt }: BatchContext,
): Batch {
  const check = replaces.map(({ address, version }): [Key, Version] => [
    podcastKey(address.digest, 'podcast'),
    version,
  ]);
  const set: [Key, Value][] = [...(episodes?.set ?? [])];
  const deleted: Key[] = [...(episodes?.delete ?? [])];
  for (const url of urlsOf(podcast)) {
    const digest = urlDigest(url);
    const known = podcastAt(digest);
    // A podcast whose feed was never fetched may be removed concurrently.
    if (!known || known.version === 0) {
      set.push([podcastKey(digest, 'url'), JSON.stringify({ url, since: now } satisfies UrlDocument)]);
      check.push([podcastKey(digest, 'podcast'), 0]);
    }
    if (endsLease && isShared) deleted.push(podcastKey(digest, 'lease'));
    const isFormer = url !== podcast.url;
    if (isFormer && known?.url === podcast.url) continue; // already points to it
    const document = isFormer ? { movedTo: podcast.url } : toDocument(podcast);
    set.push([podcastKey(digest, 'podcast'), JSON.stringify(document)]);
    if (isShared) set.push([changeKey(now, digest), '1']);
  }
  return { check, set, delete: deleted };
}
