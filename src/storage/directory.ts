/**
 * The part of the storage contract that is about podcasts rather than users: the directory. Types only; every rule here
 * is a test in `podsync/testing`.
 */

import type { EpisodeInfo, PodcastEntry, PodcastInfo, Seconds, Stamp, Url, UserId } from '../domain/types.ts';

export interface Podcast extends PodcastInfo {
  url: Url;
  /** How many users subscribe on any device: exact after every commit of this process, seconds late after one of another. */
  subscribers: number;
}

export interface RankedPodcast extends Podcast {
  /** Rank, from 1, in the newest toplist kept a week ago or earlier; 0 when it was not on it. */
  positionLastWeek: number;
}

export interface Episode extends EpisodeInfo {
  podcast: Url;
  /** When the directory first saw it, by the directory's own line of stamps. */
  stamp: Stamp;
}

export interface Tag {
  /** Slug. */
  tag: string;
  /** As first seen. */
  title: string;
  /** Number of podcasts. */
  usage: number;
}

/** How the reading of a feed goes. Of one just met: `{ intervalSeconds: 0, failures: 0, nextAt: now }`, nothing else. */
export interface FeedProgress {
  etag?: string;
  lastModified?: string;
  intervalSeconds: Seconds;
  /** In a row. */
  failures: number;
  /** Undefined: never again, the feed is gone. */
  nextAt?: Seconds;
  /** When it was last read without an error. */
  fetchedAt?: Seconds;
  /** What was wrong the last time, in a sentence. */
  error?: string;
  /** `podcast:guid`; undefined where the feed has none. */
  guid?: string;
  /** The feed redirects for good to this address, and was another podcast when it began to: it stays apart from it. */
  apart?: Url;
}

/** What is known of reading a feed. */
export interface FeedState extends FeedProgress {
  url: Url;
}

/** The result of reading a feed. */
export interface FeedReading {
  state: FeedState;
  /** Undefined where nothing new was read: what is known stays. */
  content?: { podcast: PodcastInfo; episodes: readonly EpisodeInfo[] };
  /** Where the feed has moved for good: both URLs are one podcast from now on, shown under this one. */
  movedTo?: Url;
}

export interface ToplistRebuild {
  /** How many have subscribers. */
  podcasts: number;
  corrected: number;
}

/**
 * A feed is known as soon as anyone subscribes to it, up to the bound of `bringWaiting`; nothing else makes one known.
 * URLs may be any that the podcast ever had; answers carry the one that it is shown under. Lists are ordered by
 * subscribers, most first, then by URL in code-point order.
 *
 * A podcast is listed, so that everybody may be told of it, while an account subscribes to it publicly (spec 2.9), its
 * feed does not say `itunes:block`, and its URL does not look secret (`looksSecret`) or three accounts subscribe to that
 * very URL. Exact after every commit of this process, seconds late after one of another.
 */
export interface PodcastStore {
  /** In the order asked, undefined in the place of an unknown one. */
  find(urls: readonly Url[]): Promise<(Podcast | undefined)[]>;
  /** The same without those that are not listed. */
  findListed(urls: readonly Url[]): Promise<(Podcast | undefined)[]>;
  /** Those of which everybody may see the URL itself, as it does not look secret, or three accounts subscribe to it. */
  withoutSecrets(urls: readonly Url[]): Promise<Url[]>;
  /** Whether the account subscribes to each of these podcasts, under any of its URLs, or acted on it. */
  areOf(user: UserId, urls: readonly Url[]): Promise<boolean[]>;
  /** Each by any URL that it had, else by its GUID; in the order asked, undefined in the place of an unknown one. */
  findEpisodes(podcast: Url, names: readonly string[]): Promise<(Episode | undefined)[]>;
  /** Newest first by release, then by stamp, then as the feed had them when they were first seen. */
  episodes(podcast: Url, limit: number): Promise<Episode[]>;
  /** How long the episodes of a podcast play, by each URL and GUID that they have or had; only where the feed says so. */
  durations(podcast: Url): Promise<ReadonlyMap<string, Seconds>>;
  /**
   * Those with a directory stamp of `since` or later, of each podcast the newest `limit` of them, and the mark of the
   * directory. A podcast that is asked for under two of its URLs is told once. Cost follows what is found. Where other
   * processes store episodes too, theirs may come below the mark for some seconds: see `UserStore.settledAt`.
   */
  episodesSince(podcasts: readonly Url[], since: Stamp, limit: number): Promise<{ items: Episode[]; mark: Stamp }>;
  /**
   * The newest of several podcasts by release, at most `limit`, of those podcasts of which a new episode was seen last,
   * at most `limit` of them: cost does not follow how many are asked for.
   */
  newestEpisodes(podcasts: readonly Url[], limit: number): Promise<Episode[]>;
  /** What an OPML file tells of known podcasts. It fills what is empty, and holds only until the feed itself was read. */
  announce(podcasts: readonly PodcastEntry[]): Promise<void>;

  /**
   * Feeds with subscribers that are due, the longest due first, at most `limit`, each handed to one caller only, on any
   * number of processes: until it is recorded, or `lease` is over. A lease need not outlive a reopening or an import.
   */
  claimDue(limit: number, lease: Seconds): Promise<FeedState[]>;
  feed(url: Url): Promise<FeedState | undefined>;
  /** The URLs that a feed had before, in code-point order; none of an unknown one. */
  formerUrls(url: Url): Promise<Url[]>;
  /** By URL, in code-point order. */
  feeds(): AsyncIterable<FeedState>;
  /** Those with this `FeedProgress.guid`, in any order. */
  withGuid(guid: string): Promise<FeedState[]>;
  /**
   * Stores what reading a feed came to, in one step. Episodes are known by GUID, else by URL: of several at one, the one
   * that `findEpisodes` tells. Those of earlier readings stay, up to the newest 5,000. What a feed
   * tells beyond its newest 5,000 by release is cut before it gets a stamp. A GUID that comes
   * twice in one reading is passed over the second time, and an episode gives up its old URL only where the same reading
   * has its GUID at another URL. Rejects with `missing` for an unknown URL.
   */
  record(url: Url, reading: FeedReading): Promise<void>;

  /**
   * Of the listed ones, in title, author, description, tags and feed URL (`toSearchableUrl`): those that have all words of the text; where there
   * are none, those that have any. Prefixes count, one misspelling too; any script. Of a long text the first 20 terms
   * count (`toQueryTerms`). Each storage may rank in its own way.
   */
  search(text: string, limit: number): Promise<Podcast[]>;
  /** Of the listed podcasts, by usage, most first, then by slug. */
  topTags(limit: number): Promise<Tag[]>;
  /** The listed ones, by slug or title in any letter case. */
  byTag(tag: string, limit: number): Promise<Podcast[]>;
  /** Only listed ones. */
  top(limit: number): Promise<readonly RankedPodcast[]>;
  /**
   * Listed podcasts that a user might like, never what the user has on any device: by how many of the people who share feeds with the
   * user also have it, weighed against its overall popularity; then by how many tags it shares with what the user has;
   * then as the toplist. The same data give the same answer.
   */
  recommendations(user: UserId, limit: number): Promise<Podcast[]>;
  /**
   * Recounts from the subscriptions; `corrected` counts the podcasts that had a wrong number. Keeps the first 100 for
   * `positionLastWeek`, at most once a day, and never an empty toplist.
   */
  rebuildToplist(): Promise<ToplistRebuild>;
  /**
   * Removes podcasts that nobody has subscribed to for 30 days, where no account acted on an episode or names the feed in
   * a list or a setting. To be called daily: the days are counted from the first call that finds nobody.
   */
  removeUnused(): Promise<void>;
  /**
   * Brings feeds into the directory that accounts subscribe to and that were more than one account may bring on one day,
   * which is 2,000, or that came with an imported account: of each account as many as it may bring today.
   */
  bringWaiting(): Promise<void>;

  /** The logo URL whose `logoHash` this is; undefined when no podcast has it. */
  logoUrl(hash: string): Promise<string | undefined>;
  /** Whether a listed podcast has the logo. */
  isLogoListed(hash: string): Promise<boolean>;
}
