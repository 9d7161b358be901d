import type { PodcastInfo, Seconds, Stamp, Url } from '../../domain/types.ts';
import type { Version } from '../contract.ts';
import type { FeedProgress } from '../stores.ts';

/* What is stored of a podcast under `p/<digest>/`, each document as JSON; `count` and `private` are numbers. */

/** `url`. Never checked: to store it once more changes nothing that matters. */
export interface UrlDocument {
  url: Url;
  /** When it became known. */
  since: Seconds;
}

/**
 * `podcast`: every change of a podcast or its episodes sets it and checks its version, except for the counts. Missing
 * until the first change; at a former URL it says where the podcast is.
 */
export type PodcastDocument =
  | (PodcastInfo & { feed: FeedProgress; /** See `PodcastFields`. */ newestEpisode?: Stamp })
  | { movedTo: Url };

/** `lease`: the process that set it is reading the feed. Only where several processes share the store. */
export interface LeaseDocument {
  until: Seconds;
}

/** `unused`: nobody has subscribed to this URL since then. */
export interface UnusedDocument {
  since: Seconds;
  /** Of the number of subscribers at that time: another one means that there was somebody since. */
  count: Version;
}

/** `k/toplists`: newest first, those of less than a week and the one before. */
export interface KeptToplist {
  at: Seconds;
  /** First rank first. */
  urls: Url[];
}

/** `k/tag/<digest of the slug>`. */
export interface TagDocument {
  tag: string;
  /** As first written. */
  title: string;
}

/** A podcast whose feed nobody has read yet: it is due at once. */
export const newPodcast = (since: Seconds): PodcastInfo & { feed: FeedProgress } => ({
  title: '',
  author: '',
  description: '',
  website: '',
  logoUrl: null,
  language: '',
  tags: [],
  blocked: false,
  feed: { intervalSeconds: 0, failures: 0, nextAt: since },
});

export const parse = <T>(value: string): T => JSON.parse(value) as T;
