import type { ChunkedEpisode } from './episodes.ts';
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
