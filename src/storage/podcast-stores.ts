/** The store of podcasts: the directory. Types only; every rule here is a test in `test/storage/suite`. */

import type { EpisodeInfo, PodcastEntry, PodcastInfo, Seconds, Stamp, Url, UserId } from '../domain/types.ts';

export interface Podcast extends PodcastInfo {
  url: Url;
  /** Users who subscribe on any device. Changes of other processes are counted a few seconds late. */
  subscribers: number;
}

export interface RankedPodcast extends Podcast {
  /** Rank, from 1, in the newest toplist at least a week old; 0 if it was not on it. */
  positionLastWeek: number;
}

export interface Episode extends EpisodeInfo {
  podcast: Url;
  /** When it was first seen, as a stamp of the directory. */
  stamp: Stamp;
  formerUrls?: readonly Url[];
}

/** An episode of a podcast as an action names it. */
export type EpisodeName = { episode: Url; guid?: string | undefined };

/** What lists of podcasts show of the newest episode. */
export type NewestEpisode = Pick<Episode, 'title'> & { releasedAt?: Seconds | undefined };

export interface Tag {
  /** Slug. */
  tag: string;
  /** First spelling. */
  title: string;
  /** Number of podcasts. */
  usage: number;
}

/** State of fetching a feed. For a new one: `{ intervalSeconds: 0, failures: 0, nextAt: now }`. */
export interface FeedProgress {
  etag?: string;
  lastModified?: string;
  intervalSeconds: Seconds;
  /** Consecutive failures. */
  failures: number;
  /** When the next fetch is due. Undefined: never, the feed no longer exists. */
  nextAt?: Seconds;
  /** Last fetch without an error. */
  fetchedAt?: Seconds;
  /** Error of the last fetch, in a sentence. */
  error?: string;
  /** `podcast:guid`; undefined if the feed has none. */
  guid?: string;
  /** The feed redirects permanently to this address, but to a different podcast: the two are not merged. */
  apart?: Url;
}

/** State of fetching a feed, with its URL. */
export interface FeedState extends FeedProgress {
  url: Url;
}

/** Numbers of feeds with subscribers. */
export interface FeedCounts {
  subscribed: number;
  /** To be fetched now, including those that are being fetched. */
  due: number;
  /** With an error in the last fetch. */
  failing: number;
}

/** At most `perHost` feeds of one host, together with the `active` ones, which were claimed before. */
export interface HostLimit {
  perHost: number;
  active: readonly Url[];
}

/** Result of fetching a feed. */
export interface FeedResult {
  state: FeedState;
  /** Undefined if there was nothing new: stored data stays. */
  content?: { podcast: PodcastInfo; episodes: readonly EpisodeInfo[] };
  /** The feed has moved permanently: both URLs are one podcast from now on, with this as the current URL. */
  movedTo?: Url;
}

export interface ToplistRebuild {
  /** Podcasts with subscribers. */
  podcasts: number;
  corrected: number;
}

/**
 * A feed is added as soon as anyone subscribes to it, up to the limit of `addPendingFeeds`, and in no other way. URLs
 * may be current or former ones; results have the current URL. Lists are ordered by subscribers, most first, then by
 * URL in code-point order.
 *
 * A podcast is listed, that is public, while an account subscribes to it publicly (spec 2.9), its feed has no
 * `itunes:block`, and its URL does not look secret (`looksSecret`) or has three subscribers. Changes of other processes
 * count a few seconds late.
 */
export interface PodcastStore {
  /** In the order of `urls`, undefined for unknown ones. */
  find(urls: readonly Url[]): Promise<(Podcast | undefined)[]>;
  /** The same, undefined also for podcasts that are not listed. */
  findListed(urls: readonly Url[]): Promise<(Podcast | undefined)[]>;
  /** The URLs that may be shown publicly: they do not look secret, or have three subscribers. */
  withoutSecrets(urls: readonly Url[]): Promise<Url[]>;
  /** For each podcast, whether the account subscribes to any of its URLs or has episode actions for it. */
  areUsedBy(user: UserId, urls: readonly Url[]): Promise<boolean[]>;
  /** By GUID, else by current or former URL or what stands for it (spec 4.9). In order, undefined for unknown ones. */
  findEpisodes(podcast: Url, named: readonly EpisodeName[]): Promise<(Episode | undefined)[]>;
  /** Newest first by release, then by stamp, then in the order of the feed when first seen. */
  episodes(podcast: Url, limit: number): Promise<Episode[]>;
  /** The first of `episodes` for each podcast, in the order of `podcasts`; undefined if there is none. Reads no episodes. */
  newestOfEach(podcasts: readonly Url[]): Promise<(NewestEpisode | undefined)[]>;
  /** Durations of the episodes of a podcast, by current and former URLs and GUIDs. Only those that the feed has. */
  durations(podcast: Url): Promise<ReadonlyMap<string, Seconds>>;
  /**
   * Episodes with a directory stamp of `since` or later, at most the newest `limit` per podcast, and the mark of the
   * directory. A podcast asked for by two URLs is returned once. The cost depends on the number of episodes found.
   * Episodes that other processes store may appear below the mark for some seconds: see `UserStore.stableUntil`.
   */
  episodesSince(podcasts: readonly Url[], since: Stamp, limit: number): Promise<{ items: Episode[]; mark: Stamp }>;
  /**
   * The newest `limit` episodes by release, from the `limit` podcasts with the most recently seen episodes: the cost
   * does not depend on the number of podcasts.
   */
  newestEpisodes(podcasts: readonly Url[], limit: number): Promise<Episode[]>;
  /**
   * Stores the metadata of an OPML file for known podcasts. Fills empty fields only, and is replaced once the feed is
   * fetched.
   */
  addMetadata(podcasts: readonly PodcastEntry[]): Promise<void>;

  /**
   * At most `limit` due feeds with subscribers, longest due first. Each is leased to one caller across all processes
   * until its result is recorded, or `lease` has expired. A lease may end when the storage is reopened or imported.
   */
  claimDue(limit: number, lease: Seconds, hosts?: HostLimit): Promise<FeedState[]>;
  feed(url: Url): Promise<FeedState | undefined>;
  countFeeds(): Promise<FeedCounts>;
  /** The current and former URLs of a feed; of an unknown feed, only this one. */
  allUrls(url: Url): Promise<ReadonlySet<Url>>;
  /** The URL of a feed, current or former, to which more accounts subscribe than to any other; undefined if none. */
  mostSubscribedUrl(url: Url): Promise<Url | undefined>;
  /** By URL, in code-point order, as of now on all nodes. */
  feeds(): Promise<FeedState[]>;
  /** Feeds with this `FeedProgress.guid`, in any order. */
  withGuid(guid: string): Promise<FeedState[]>;
  /**
   * Stores the result of fetching a feed, in one commit. Episodes are matched by GUID, else by URL (if several have
   * that URL, the one that `findEpisodes` returns). Episodes that are no longer in the feed are kept, up to the newest
   * 5,000. Of a longer feed, all but the newest 5,000 by release are ignored. If a GUID occurs twice in a feed, the
   * second is ignored. An episode gives up its old URL only if the same feed has its GUID at another URL. A result of a
   * former address without content is ignored. Rejects with `missing` for an unknown URL.
   */
  record(url: Url, result: FeedResult): Promise<void>;

  /**
   * Searches listed podcasts by title, author, description, tags and feed URL (`toSearchableUrl`), best match first. Finds
   * podcasts with all words of the text; if there are none, those with any. Prefixes match, and words with one
   * misspelling; any script. Of a long text the first 20 terms are used (`toQueryTerms`). If the text looks like a URL and
   * podcasts have it in theirs, only those.
   */
  search(text: string, limit: number): Promise<Podcast[]>;
  /** Tags of listed podcasts, most used first, then by slug. */
  topTags(limit: number): Promise<Tag[]>;
  /** Listed podcasts with a tag, given as slug or as title in any case. */
  byTag(tag: string, limit: number): Promise<Podcast[]>;
  /** Only listed podcasts. */
  top(limit: number): Promise<readonly RankedPodcast[]>;
  /**
   * Recommends listed podcasts that the user has on no device: first by subscriptions of users with shared feeds,
   * weighed against overall popularity; then by tags shared with the user's podcasts; then by the toplist.
   * Deterministic.
   */
  recommendations(user: UserId, limit: number): Promise<Podcast[]>;
  /**
   * Recounts subscribers from the subscriptions of all accounts, and those who subscribe privately; `corrected`:
   * podcasts with a wrong count. Stores the first 100 for `positionLastWeek`, at most once a day, and never an empty toplist.
   */
  rebuildToplist(): Promise<ToplistRebuild>;
  /**
   * Removes podcasts that had no subscribers for 30 days and occur in no episode action, list or setting. Call it daily.
   */
  removeUnused(): Promise<void>;
  /**
   * Adds pending feeds to the directory: those beyond the daily limit of 2,000 new feeds per account, and those of
   * imported accounts. Adds up to the limit of today for each account.
   */
  addPendingFeeds(): Promise<void>;

  /** The logo whose URL has this `logoHash`; undefined if no podcast has it. */
  logo(hash: string): Promise<Logo | undefined>;
}

/** A logo, and the podcasts that have it. */
export interface Logo {
  url: string;
  podcasts: readonly Url[];
  /** Whether one of them is listed. */
  isListed: boolean;
}
