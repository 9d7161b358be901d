import { looksSecret } from '../../domain/secret-url.ts';
import { compareText } from '../../domain/text-order.ts';
import type { PodcastInfo, Stamp, Url } from '../../domain/types.ts';
import type { FeedProgress } from '../stores.ts';
import type { UrlDigest } from '../keys.ts';
import type { Version } from '../contract.ts';
import type { SubscriberSet } from './subscriber-set.ts';

/** A podcast as it is stored, but for its episodes. */
export interface PodcastFields extends PodcastInfo {
  /** The URL that it is shown under. */
  url: Url;
  /** URLs that it had before, in any order. */
  formerUrls: readonly Url[];
  feed: FeedProgress;
  /** The newest stamp of its episodes; undefined when none was ever read. */
  newestEpisode?: Stamp;
}

/** A podcast in memory. Replaced, never changed. */
export interface StoredPodcast extends PodcastFields {
  /** That of `url`. */
  address: Address;
  /** Of its document, 0 where it has none: see `PodcastDocument`. */
  version: Version;
}

/** How many accounts subscribe to a URL, and how many of those privately. */
export interface Counts {
  count: number;
  privateCount: number;
}

/** A URL that the directory knows: that of a podcast, or one that it had before. */
export class Address implements Counts {
  readonly url: Url;
  readonly digest: UrlDigest;
  /** From 0, in the order they became known here. */
  readonly number: number;
  /** How many accounts subscribe to this very URL. */
  count = 0;
  /** How many of those do so privately. */
  privateCount = 0;
  /** The one that its podcast is shown under. */
  home: Address = this;
  /** Only of a home. */
  podcast: StoredPodcast | undefined;
  /** Who subscribes to any URL of the podcast; only of a home that has several. */
  merged: SubscriberSet | undefined;
  /** Whether everybody may be told of its podcast: see `isListable`. Only of a home. */
  isListed = false;
  #looksSecret: boolean | undefined;

  constructor(url: Url, digest: UrlDigest, number: number) {
    this.url = url;
    this.digest = digest;
    this.number = number;
  }

  get looksSecret(): boolean {
    return (this.#looksSecret ??= looksSecret(this.url));
  }
}

/** How many accounts subscribe to a podcast, under any of its URLs. */
export const subscribersOf = ({ address }: StoredPodcast): number => address.merged?.size ?? address.count;

/** Most subscribers first, then by URL. */
export const byPopularity = (a: StoredPodcast, b: StoredPodcast): number =>
  subscribersOf(b) - subscribersOf(a) || compareText(a.url, b.url);

export const urlsOf = ({ url, formerUrls }: Pick<PodcastFields, 'url' | 'formerUrls'>): Url[] => [...formerUrls, url];
