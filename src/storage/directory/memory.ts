import { logoHash } from '../../domain/logo.ts';
import { urlDigest, type UrlDigest } from '../keys.ts';
import type { Seconds, Url, UserId } from '../../domain/types.ts';
import type { Version } from '../contract.ts';
import {
  Address,
  type Catalog,
  type Counts,
  isListable,
  type PodcastFields,
  type StoredPodcast,
  urlsOf,
} from './podcast.ts';
import { newPodcast } from './documents.ts';
import { SearchIndex } from './search.ts';
import { Stamps } from './stamps.ts';
import type { SubscriberSet, Subscription } from './subscriber-set.ts';
import { Tags } from './tags.ts';
import { Toplist } from './toplist.ts';

/** A change of how an account subscribes to a URL. The counts are differences. */
export interface SubscriptionChange extends Counts {
  url: Url;
  digest: UrlDigest;
  now: Subscription;
}

/** This process's copy of all podcasts without their episodes, with the indexes over them. */
export class Memory implements Catalog {
  /** By number. */
  readonly addresses: Address[] = [];
  readonly tags = new Tags();
  readonly stamps = new Stamps();
  readonly toplist: Toplist;
  readonly search: SearchIndex;
  /** Subscriber counts of URLs that are not in the directory yet; may be 0. */
  readonly pendingFeeds = new Map<UrlDigest, Counts>();
  readonly #byDigest = new Map<UrlDigest, Address>();
  /** Numbers of addresses that were removed. */
  readonly #free: number[] = [];
  /** Sets that are being loaded. */
  readonly #loading = new Map<SubscriberSet, ReadonlySet<UrlDigest>>();
  /** Podcasts by the hash of their logo URL; built at the first lookup. */
  #logos: Map<string, Set<Address>> | undefined;

  constructor() {
    this.toplist = new Toplist(this);
    this.search = new SearchIndex(this);
  }

  address(digest: UrlDigest): Address | undefined {
    return this.#byDigest.get(digest);
  }

  find(url: Url): StoredPodcast | undefined {
    return this.#byDigest.get(urlDigest(url))?.home.podcast;
  }

  all(): StoredPodcast[] {
    const podcasts: StoredPodcast[] = [];
    for (const { podcast } of this.addresses) if (podcast) podcasts.push(podcast);
    return podcasts;
  }

  /** Its current address and all former ones. */
  addressesOf(podcast: StoredPodcast): Address[] {
    return urlsOf(podcast).map((url) => this.#addressOf(url));
  }

  /** The podcasts whose logo URL has this SHA-256. */
  withLogo(hash: string): StoredPodcast[] {
    if (!this.#logos) {
      this.#logos = new Map();
      for (const podcast of this.all()) this.#addLogo(podcast);
    }
    return Array.from(this.#logos.get(hash) ?? [], ({ podcast }) => podcast!);
  }

  #addLogo({ address, logoUrl }: StoredPodcast): void {
    if (!this.#logos || logoUrl === null) return;
    const hash = logoHash(logoUrl);
    this.#logos.set(hash, (this.#logos.get(hash) ?? new Set()).add(address));
  }

  /** Adds a podcast with this URL, unless it is known. */
  ensure(url: Url, since: Seconds): void {
    if (this.#byDigest.has(urlDigest(url))) return;
    this.put({ ...newPodcast(since), url, formerUrls: [] }, 0);
  }

  /**
   * Adds a podcast and replaces all others with any of its URLs; `fields` itself becomes the podcast. `digest`: of its
   * current URL. `merged`: its subscribers, if podcasts were merged.
   */
  put(
    fields: PodcastFields,
    version: Version,
    { digest, merged }: { digest?: UrlDigest; merged?: SubscriberSet | undefined } = {},
  ): StoredPodcast {
    const home = this.#addressOf(fields.url, digest);
    const addresses = [...fields.formerUrls.map((url) => this.#addressOf(url)), home];
    const known = merged ?? home.home.merged;
    for (const address of addresses) {
      if (address.podcast) this.#remove(address.podcast);
      address.podcast = address.merged = undefined;
      address.isListed = false;
      address.home = home;
    }
    home.merged = addresses.length > 1 ? known : undefined;
    const podcast: StoredPodcast = Object.assign(fields, { address: home, version });
    home.podcast = podcast;
    this.tags.add(home, podcast.tags);
    this.stamps.add(podcast.newestEpisode ?? 0);
    this.#addLogo(podcast);
    this.search.changed(podcast.address);
    this.toplist.changed(podcast);
    this.#relist(podcast);
    return podcast;
  }

  #addressOf(url: Url, digest = urlDigest(url)): Address {
    const known = this.#byDigest.get(digest);
    if (known) return known;
    const address = new Address(url, digest, this.#free.pop() ?? this.addresses.length);
    Object.assign(address, this.pendingFeeds.get(digest));
    this.pendingFeeds.delete(digest);
    this.addresses[address.number] = address;
    this.#byDigest.set(digest, address);
    return address;
  }

  /** Removes a podcast with all its URLs. */
  remove(podcast: StoredPodcast): void {
    this.#remove(podcast);
    for (const address of this.addressesOf(podcast)) {
      address.podcast = address.merged = undefined;
      address.isListed = false;
      this.#byDigest.delete(address.digest);
      this.#free.push(address.number);
    }
  }

  #remove(podcast: StoredPodcast): void {
    // Rebuilt at the next lookup.
    if (podcast.logoUrl !== null) this.#logos = undefined;
    this.tags.remove(podcast.address, podcast.tags);
    this.search.changed(podcast.address);
    this.toplist.changed(podcast);
  }

  /** Decides again whether the podcast is listed. */
  #relist(podcast: StoredPodcast): void {
    const isListed = isListable(podcast);
    if (isListed === podcast.address.isListed) return;
    podcast.address.isListed = isListed;
    this.tags.relisted();
    this.search.changed(podcast.address);
    this.toplist.changed(podcast);
  }

  /** Until `endLoading`, changes of this process are applied to the set, too. */
  beginLoading(set: SubscriberSet, digests: readonly UrlDigest[]): void {
    this.#loading.set(set, new Set(digests));
  }

  endLoading(set: SubscriberSet): void {
    this.#loading.delete(set);
  }

  setSubscription(user: UserId, { digest, now, ...by }: SubscriptionChange): void {
    for (const [set, digests] of this.#loading) if (digests.has(digest)) set.set(user, digest, now);
    const address = this.#byDigest.get(digest);
    address?.home.merged?.set(user, digest, now);
    const { count, privateCount } = address ?? this.pendingFeeds.get(digest) ?? { count: 0, privateCount: 0 };
    this.setCounts(digest, { count: count + by.count, privateCount: privateCount + by.privateCount });
  }

  /** Sets how many accounts subscribe to exactly this URL, and how many of them privately. */
  setCounts(digest: UrlDigest, { count, privateCount }: Counts): void {
    const address = this.#byDigest.get(digest);
    if (!address) {
      this.pendingFeeds.set(digest, { count, privateCount });
      return;
    }
    address.count = count;
    address.privateCount = privateCount;
    const { podcast } = address.home;
    if (!podcast) return;
    this.toplist.changed(podcast);
    this.#relist(podcast);
  }

  /** Sets the subscribers of a podcast with several URLs. */
  setMerged(home: Address, merged: SubscriberSet): void {
    home.merged = merged;
    if (home.podcast) this.#relist(home.podcast);
  }

  clear(): void {
    for (const address of this.addresses) this.search.changed(address);
    this.addresses.length = this.#free.length = 0;
    this.#byDigest.clear();
    this.pendingFeeds.clear();
    this.#logos = undefined;
    this.tags.clear();
    this.toplist.clear();
    this.stamps.clear();
  }
}
