import { logoHash } from '../../domain/logo.ts';
import type { Seconds, Url, UserId } from '../../domain/types.ts';
import type { Version } from '../contract.ts';
import { urlDigest, type UrlDigest } from '../keys.ts';
import { type Subscription, subscriptionKey } from './keys.ts';
import { PodcastIndex } from './podcast-index.ts';
import {
  Address,
  type Catalog,
  isListable,
  isSecret,
  newPodcast,
  type PodcastFields,
  type StoredPodcast,
  subscriberNumbers,
  subscriptionOf,
  urlsOf,
} from './podcast.ts';
import { SearchIndex } from './search.ts';
import { Stamps } from './stamps.ts';
import { Tags } from './tags.ts';
import { Toplist } from './toplist.ts';

/** An account that subscribes to something. */
interface Account {
  id: UserId;
  /** Index in `Memory.accounts`. */
  number: number;
  subscriptions: Set<Address>;
}

/**
 * This process's copy of all podcasts without their episodes, and of who subscribes to what, with the indexes over them.
 * Podcasts and accounts have numbers, because counting over numbers is fast.
 */
export class Memory implements Catalog {
  /** By number; undefined if it is unused. */
  readonly addresses: (Address | undefined)[] = [];
  /** By number; one without subscriptions is unused. */
  readonly accounts: Account[] = [];
  readonly tags = new Tags();
  readonly stamps = new Stamps();
  readonly toplist: Toplist;
  readonly search: SearchIndex;
  readonly #addresses = new Map<UrlDigest, Address>();
  readonly #accounts = new Map<UserId, Account>();
  /** Unused numbers. */
  readonly #free = { addresses: [] as number[], accounts: [] as number[] };
  /** Podcasts by the hash of their logo URL; built at the first lookup. */
  #logos: PodcastIndex | undefined;

  constructor() {
    this.toplist = new Toplist(this);
    this.search = new SearchIndex(this);
  }

  address(digest: UrlDigest): Address | undefined {
    return this.#addresses.get(digest);
  }

  /** The podcast with this current or former URL. */
  at(digest: UrlDigest): StoredPodcast | undefined {
    return this.#addresses.get(digest)?.canonical.podcast;
  }

  find(url: Url): StoredPodcast | undefined {
    return this.at(urlDigest(url));
  }

  /** The current URL of the podcast with this URL; the same URL if the podcast is unknown. */
  readonly currentUrl = (url: Url): Url => this.find(url)?.url ?? url;

  /** Whether the podcast and this URL of it are public. */
  isListed(url: Url): boolean {
    const address = this.address(urlDigest(url));
    return address !== undefined && address.canonical.isListed && !isSecret(url, address);
  }

  all(): StoredPodcast[] {
    const podcasts: StoredPodcast[] = [];
    for (const address of this.addresses) if (address?.podcast) podcasts.push(address.podcast);
    return podcasts;
  }

  /** The podcasts whose logo URL has this SHA-256. */
  withLogo(hash: string): StoredPodcast[] {
    if (!this.#logos) {
      this.#logos = new PodcastIndex();
      for (const podcast of this.all()) this.#indexLogo(podcast, 'add');
    }
    return Array.from(this.#logos.get(hash) ?? [], ({ podcast }) => podcast!);
  }

  #indexLogo({ logoUrl, address }: StoredPodcast, change: 'add' | 'remove'): void {
    if (this.#logos && logoUrl !== null) this.#logos[change](logoHash(logoUrl), address);
  }

  /** Adds a podcast with this URL, unless it is known. */
  ensure(url: Url, since: Seconds): void {
    if (!this.find(url)) this.put(newPodcast(url, since), 0);
  }

  /** Adds a podcast, and removes all others with any of its URLs; `fields` itself becomes the podcast. */
  put(fields: PodcastFields, version: Version): StoredPodcast {
    const addresses = urlsOf(fields).map((url) => this.#ensureAddress(urlDigest(url)));
    const canonical = addresses.at(-1)!;
    for (const { canonical: before } of addresses) if (before.podcast) this.#detach(before.podcast);
    for (const address of addresses) address.canonical = canonical;
    const podcast: StoredPodcast = Object.assign(fields, { address: canonical, version });
    Object.assign(canonical, { podcast, addresses, count: 0, publicCount: 0 });
    for (const number of subscriberNumbers(canonical)) this.#count(canonical, number, 1);
    this.tags.add(canonical, podcast.tags);
    this.stamps.add(podcast.newestStamp ?? 0);
    this.#indexLogo(podcast, 'add');
    this.#changed(podcast);
    return podcast;
  }

  /** Removes a podcast with all its URLs. */
  remove(podcast: StoredPodcast): void {
    const { addresses } = podcast.address;
    this.#detach(podcast);
    for (const address of addresses) this.#dropUnused(address);
  }

  /** Removes a podcast from the indexes; its URLs are pending afterwards. */
  #detach(podcast: StoredPodcast): void {
    const { address: canonical } = podcast;
    this.tags.remove(canonical, podcast.tags);
    this.#indexLogo(podcast, 'remove');
    for (const address of canonical.addresses) address.canonical = address;
    Object.assign(canonical, { podcast: undefined, addresses: [canonical] });
    this.#changed(podcast);
  }

  /** To be called when a podcast is added, changed or removed. */
  #changed(podcast: StoredPodcast): void {
    this.search.changed(podcast.address);
    this.#recounted(podcast);
  }

  /** To be called when the number of subscribers has changed. */
  #recounted(podcast: StoredPodcast): void {
    const { address } = podcast;
    this.toplist.changed(podcast);
    const isListed = address.podcast !== undefined && isListable(podcast);
    if (isListed === address.isListed) return;
    address.isListed = isListed;
    this.tags.relisted();
    this.search.changed(address);
  }

  #ensureAddress(digest: UrlDigest): Address {
    const known = this.#addresses.get(digest);
    if (known) return known;
    const address = new Address(digest, this.#free.addresses.pop() ?? this.addresses.length);
    this.#addresses.set(digest, address);
    return (this.addresses[address.number] = address);
  }

  #dropUnused({ digest, number, canonical, subscribers }: Address): void {
    if (canonical.podcast || subscribers.size > 0) return;
    this.addresses[number] = undefined;
    this.#addresses.delete(digest);
    this.#free.addresses.push(number);
  }

  /** Sets how an account subscribes to a URL. */
  subscribe(user: UserId, digest: UrlDigest, subscription: Subscription): void {
    const account = this.#accounts.get(user) ?? this.#addAccount(user);
    const address = this.#ensureAddress(digest);
    const { canonical, subscribers } = address;
    if (canonical.podcast) this.#count(canonical, account.number, -1);
    if (subscription) {
      subscribers.set(account.number, subscription);
      account.subscriptions.add(address);
    } else {
      subscribers.delete(account.number);
      account.subscriptions.delete(address);
    }
    if (account.subscriptions.size === 0 && this.#accounts.delete(user)) this.#free.accounts.push(account.number);
    if (canonical.podcast) {
      this.#count(canonical, account.number, 1);
      this.#recounted(canonical.podcast);
    }
    this.#dropUnused(address);
  }

  /** Adds an account to the subscribers of a podcast, or takes it away: once, however many of the URLs it has. */
  #count(canonical: Address, number: number, by: 1 | -1): void {
    const subscription = subscriptionOf(number, canonical);
    if (subscription) canonical.count += by;
    if (subscription === 'public') canonical.publicCount += by;
  }

  #addAccount(id: UserId): Account {
    const number = this.#free.accounts.pop() ?? this.accounts.length;
    const account = { id, number, subscriptions: new Set<Address>() };
    this.#accounts.set(id, account);
    return (this.accounts[number] = account);
  }

  /** How an account subscribes to these URLs, by digest. */
  subscriptionsByDigest(user: UserId): Map<UrlDigest, Subscription> {
    const { number = -1, subscriptions = [] } = this.#accounts.get(user) ?? {};
    return new Map(Array.from(subscriptions, ({ digest, subscribers }) => [digest, subscribers.get(number)]));
  }

  /** The keys of all subscriptions. */
  *subscriptionKeys(): Iterable<string> {
    for (const { id, subscriptions } of this.accounts) {
      for (const { digest } of subscriptions) yield subscriptionKey(digest, id);
    }
  }
}
