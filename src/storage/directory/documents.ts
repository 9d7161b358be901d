import type { PodcastInfo, Seconds, Stamp, Url } from '../../domain/types.ts';
import type { Version } from '../contract.ts';
import type { FeedProgress } from '../stores.ts';

/* What is stored of a podcast under `p/<digest>/`, each document as JSON; `count` and `private` are numbers. */

/** `url`. Its version is never checked: storing it twice is harmless. */
export interface UrlDocument {
  url: Url;
  /** When it was added to the directory. */
  since: Seconds;
}

/**
 * `podcast`: every change of a podcast or its episodes, except of its counts, sets it and checks its version. Missing
 * until the first change. A former URL has the current one here.
 */
export type PodcastDocument =
  | (PodcastInfo & { feed: FeedProgress; /** See `PodcastFields`. */ newestEpisode?: Stamp })
  | { movedTo: Url };

/** `lease`: the process that set it is fetching the feed. Only if several processes share the store. */
export interface LeaseDocument {
  until: Seconds;
}

/** `unused`: this URL has had no subscribers since then. */
export interface UnusedDocument {
  since: Seconds;
  /** Version of the subscriber count at that time. A different version means that there was a subscriber since. */
  count: Version;
}

/** `k/toplists`: toplists of the last week and the one before, newest first. */
export interface ToplistSnapshot {
  at: Seconds;
  /** First rank first. */
  urls: Url[];
}

/** `k/tag/<digest of the slug>`. */
export interface TagDocument {
  tag: string;
  /** Its first spelling. */
  title: string;
}

/** A podcast whose feed was not fetched yet: it is due at once. */
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
