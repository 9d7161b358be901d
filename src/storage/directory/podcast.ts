import { looksSecret } from '../../domain/secret-url.ts';
import { compareText } from '../../domain/text-order.ts';
import { emptyPodcast, type PodcastInfo, type Seconds, type Stamp, type Url } from '../../domain/types.ts';
import type { Version } from '../contract.ts';
import type { UrlDigest } from '../keys.ts';
import type { FeedProgress, NewestEpisode, Podcast } from '../stores.ts';
import type { Subscription } from './keys.ts';

/** A stored podcast without its episodes. */
export interface PodcastFields extends PodcastInfo {
  /** Its current URL. */
  url: Url;
  /** Its former URLs, in any order. */
  formerUrls: readonly Url[];
  feed: FeedProgress;
  /** The newest stamp of its episodes; undefined if it never had any. */
  newestStamp?: Stamp;
  newestEpisode?: NewestEpisode | undefined;
}

/** A podcast in memory. Immutable: changes replace it. */
export interface StoredPodcast extends PodcastFields {
  /** The address of `url`. */
  address: Address;
  /** Version of its document, 0 if it has none: see `PodcastDocument`. */
  version: Version;
}

/** A podcast whose feed was not fetched yet: it is due at once. */
export const newPodcast = (url: Url, since: Seconds): PodcastFields => ({
  ...emptyPodcast(),
  url,
  formerUrls: [],
  feed: { intervalSeconds: 0, failures: 0, nextAt: since },
});

/** A lease on a feed that is being fetched. */
export interface Lease {
  until: Seconds;
  /** Version of its document; 0 if it is only in memory. */
  version: Version;
}

/**
 * A URL: the current or a former one of a podcast, or a pending one, which has subscribers but is not in the directory
 * yet.
 */
export class Address {
  readonly digest: UrlDigest;
  /** Index in `Memory.addresses`. */
  readonly number: number;
  /** The accounts that subscribe to exactly this URL, by their number. */
  readonly subscribers = new Map<number, Subscription>();
  /** The address of the current URL of its podcast. */
  canonical: Address = this;
  lease: Lease | undefined;

  /* The rest is only used in the canonical address. */

  /** All addresses of the podcast. */
  addresses: readonly Address[] = [this];
  /** Undefined if the URL is pending. */
  podcast: StoredPodcast | undefined;
  /** How many accounts subscribe to the podcast, under any of its URLs. */
  count = 0;
  /** How many of them subscribe to none of these URLs privately. */
  publicCount = 0;
  /** Whether the podcast is public: see `isListable`. */
  isListed = false;

  constructor(digest: UrlDigest, number: number) {
    this.digest = digest;
    this.number = number;
  }
}

/** How an account subscribes to a podcast: privately if it does so under any of its URLs. */
export function subscriptionOf(account: number, canonical: Address): Subscription {
  let found: Subscription;
  for (const { subscribers } of canonical.addresses) if (found !== 'private') found = subscribers.get(account) ?? found;
  return found;
}

/** The accounts that subscribe to a podcast, each once. */
export const subscriberNumbers = ({ addresses, subscribers }: Address): Iterable<number> =>
  addresses.length === 1 ? subscribers.keys() : new Set(addresses.flatMap((each) => [...each.subscribers.keys()]));

export const subscribersOf = ({ address }: StoredPodcast): number => address.count;

/** Most subscribers first, then by URL. */
export const byPopularity = (a: StoredPodcast, b: StoredPodcast): number =>
  subscribersOf(b) - subscribersOf(a) || compareText(a.url, b.url);

/** The first `limit` items in the order of `compare`, without sorting all. */
export function topN<Item>(items: Iterable<Item>, limit: number, compare: (a: Item, b: Item) => number): Item[] {
  let first: Item[] = [];
  let more: Item[] = [];
  const merge = (): void => {
    first = [...first, ...more].toSorted(compare).slice(0, limit);
    more = [];
  };
  for (const item of items) {
    if (first.length === limit && (limit === 0 || compare(item, first.at(-1)!) >= 0)) continue;
    more.push(item);
    if (more.length > limit) merge();
  }
  merge();
  return first;
}

export const urlsOf = ({ url, formerUrls }: Pick<PodcastFields, 'url' | 'formerUrls'>): Url[] => [...formerUrls, url];

/** An address with this many subscribers is not personal, even if it looks secret. */
const MIN_SUBSCRIBERS = 3;

/** Whether a URL looks personal and has few subscribers. `address`: undefined if it has none. */
export const isSecret = (url: Url, address: Address | undefined): boolean =>
  (address?.subscribers.size ?? 0) < MIN_SUBSCRIBERS && looksSecret(url);

/**
 * Whether a podcast is public: an account subscribes to it publicly (spec 2.9), its publisher does not block it, and
 * its address is not secret. The only place of this decision; `Address.isListed` caches it.
 */
export const isListable = ({ url, address, blocked }: StoredPodcast): boolean =>
  !blocked && address.publicCount > 0 && !isSecret(url, address);

/** All podcasts, as ranking and search need them. */
export interface Catalog {
  /** By number; some may be unused. */
  readonly addresses: readonly (Address | undefined)[];
  all(): StoredPodcast[];
  /** By its current URL or any former one. */
  find(url: Url): StoredPodcast | undefined;
}

/** What a feed tells about its podcast. */
export function toInfo(stored: StoredPodcast): PodcastInfo {
  const { title, author, description, website, logoUrl, language, tags, blocked } = stored;
  return { title, author, description, website, logoUrl, language, tags, blocked };
}

export const toPodcast = (stored: StoredPodcast): Podcast => ({
  ...toInfo(stored),
  url: stored.url,
  tags: [...stored.tags],
  subscribers: subscribersOf(stored),
});
