import { looksSecret } from '../../domain/secret-url.ts';
import { compareText } from '../../domain/text-order.ts';
import type { PodcastInfo, Stamp, Url } from '../../domain/types.ts';
import type { FeedProgress, Podcast } from '../stores.ts';
import type { UrlDigest } from '../keys.ts';
import type { Version } from '../contract.ts';
import type { SubscriberSet } from './subscriber-set.ts';

/** A stored podcast without its episodes. */
export interface PodcastFields extends PodcastInfo {
  /** Its current URL. */
  url: Url;
  /** Its former URLs, in any order. */
  formerUrls: readonly Url[];
  feed: FeedProgress;
  /** The newest stamp of its episodes; undefined if it never had any. */
  newestEpisode?: Stamp;
}

/** A podcast in memory. Immutable: changes replace it. */
export interface StoredPodcast extends PodcastFields {
  /** The address of `url`. */
  address: Address;
  /** Version of its document, 0 if it has none: see `PodcastDocument`. */
  version: Version;
}

/** How many accounts subscribe to a URL, and how many of them privately. */
export interface Counts {
  count: number;
  privateCount: number;
}

/** A known URL: the current or a former one of a podcast. */
export class Address implements Counts {
  readonly url: Url;
  readonly digest: UrlDigest;
  /** Index in `Memory.addresses`. */
  readonly number: number;
  /** How many accounts subscribe to exactly this URL. */
  count = 0;
  /** How many of them subscribe privately. */
  privateCount = 0;
  /** The address of the current URL of its podcast. */
  home: Address = this;
  /** Only set on a home. */
  podcast: StoredPodcast | undefined;
  /** Subscribers of all URLs of the podcast. Only set on a home with several URLs. */
  merged: SubscriberSet | undefined;
  /** Whether its podcast is public: see `isListable`. Only set on a home. */
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

/** An address with this many subscribers is not personal, even if it looks secret. */
const MIN_SUBSCRIBERS = 3;

/**
 * Whether a podcast is public: an account subscribes to it publicly (spec 2.9), its publisher does not block it, and
 * its address is not secret. The only place of this decision; `Address.isListed` caches it.
 */
export const isListable = ({ address, blocked }: StoredPodcast): boolean =>
  !blocked && (address.merged?.isPublic ?? address.count > address.privateCount) && !isSecret(address);

/** Whether an address looks personal and has few subscribers. */
export const isSecret = (address: Address): boolean => address.count < MIN_SUBSCRIBERS && address.looksSecret;

/** All podcasts, as ranking and search need them. */
export interface Catalog {
  /** By number. */
  readonly addresses: readonly Address[];
  all(): StoredPodcast[];
  /** By its current URL or any former one. */
  find(url: Url): StoredPodcast | undefined;
}

export function toPodcast(stored: StoredPodcast): Podcast {
  const { formerUrls: _, feed: __, newestEpisode: ___, address: ____, version: _____, ...podcast } = stored;
  return { ...podcast, tags: [...podcast.tags], subscribers: subscribersOf(stored) };
}
