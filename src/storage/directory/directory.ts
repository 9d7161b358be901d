import type { Seconds, Url, UserId } from '../../domain/types.ts';
import type { Key, KeyValueStore, Value, Version } from '../contract.ts';
import type { CopyChange, DirectoryCopy } from '../directory-writer.ts';
import { changedKey, tagKey, TOPLISTS_KEY, under, type UrlDigest, urlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { StorageContext } from '../stores.ts';
import {
  type AddressDocuments,
  collectDocuments,
  documentKeys,
  movedTo,
  type ReadPodcast,
  toPodcasts,
} from './address-documents.ts';
import { applyChange } from './account-change.ts';
import { type PodcastChange, toBatch } from './change.ts';
import { type KeptToplist, parse, type TagDocument } from './documents.ts';
import { EpisodeStore } from './episode-store.ts';
import type { PlacedEpisode } from './episodes.ts';
import { Leases } from './leases.ts';
import { isSecret } from './listing.ts';
import { Memory } from './memory.ts';
import { type Address, type PodcastFields, type StoredPodcast, subscribersOf, urlsOf } from './podcast.ts';
import { SubscriberGraph } from './subscriber-graph.ts';
import { SubscriberSet } from './subscriber-set.ts';

/** How much larger pages are when all podcasts are read: fewer steps, and it is all kept anyway. */
const LOAD_SCALE = 16;
/** URLs whose documents are read at once. */
const READ_AT_ONCE = 500;

/** The directory of a store: what of it is in memory, how that is kept current, and how it is changed. */
export class Directory implements DirectoryCopy {
  readonly store: KeyValueStore;
  readonly context: Pick<StorageContext, 'now' | 'log'>;
  readonly memory = new Memory();
  readonly episodes: EpisodeStore;
  readonly graph: SubscriberGraph;
  readonly leases: Leases;
  /** URLs whose numbers of subscribers were changed here and are to be compared with the store; only where it is shared. */
  readonly recounted = new Set<UrlDigest>();
  /** Of the kept toplists. */
  #toplistsVersion: Version = 0;

  private constructor(store: KeyValueStore, context: Pick<StorageContext, 'now' | 'log'>) {
    this.store = store;
    this.context = context;
    this.episodes = new EpisodeStore(store);
    this.graph = new SubscriberGraph(store, (digest) => this.memory.address(digest));
    this.leases = new Leases(store);
  }

  static async open(store: KeyValueStore, context: Pick<StorageContext, 'now' | 'log'>): Promise<Directory> {
    const directory = new Directory(store, context);
    await directory.load();
    directory.memory.search.buildSoon();
    return directory;
  }

  /** Reads all podcasts, tags and toplists. */
  async load(): Promise<void> {
    for await (const page of scan(this.store, under('k/tag/'))) {
      for (const { value } of page) this.memory.tags.setTitle(parse<TagDocument>(value));
    }
    await this.reloadToplists();
    const documents = new Map<UrlDigest, AddressDocuments>();
    for await (const page of scan(this.store, under('p/'), LOAD_SCALE)) collectDocuments(page, documents);
    await this.#take(documents, true);
    for (const { address } of this.memory.all()) if (!documents.get(address.digest)?.url) this.#forget(address.digest);
  }

  async reloadToplists(): Promise<void> {
    const [entry] = await this.store.get([TOPLISTS_KEY]);
    this.memory.toplist.kept = entry ? parse<KeptToplist[]>(entry.value) : [];
    this.#toplistsVersion = entry?.version ?? 0;
  }

  /** Reads again what is stored of these URLs, and of all others of their podcasts. `withCounts`: also who subscribes. */
  async reload(digests: Iterable<UrlDigest>, withCounts: boolean): Promise<void> {
    const all = [...digests];
    for (let at = 0; at < all.length; at += READ_AT_ONCE) {
      await this.#reloadSome(all.slice(at, at + READ_AT_ONCE), withCounts);
    }
  }

  async #reloadSome(digests: readonly UrlDigest[], withCounts: boolean): Promise<void> {
    const wanted = new Set<UrlDigest>();
    const want = (digest: UrlDigest): void => {
      wanted.add(digest);
      const podcast = this.memory.address(digest)?.home.podcast;
      for (const address of podcast ? this.memory.addressesOf(podcast) : []) wanted.add(address.digest);
    };
    for (const digest of digests) want(digest);
    for (;;) {
      for (const digest of wanted) want(digest);
      const before = this.#podcastsAt(wanted);
      const documents = collectDocuments(await this.store.get([...wanted].flatMap(documentKeys)));
      const missing = movedTo(documents).filter((digest) => !wanted.has(digest));
      for (const digest of missing) want(digest);
      if (missing.length > 0) continue;
      const podcasts = [...documents.values()].flatMap(({ podcast }) => podcast ?? []);
      await this.#readTitles(podcasts.flatMap((podcast) => ('tags' in podcast ? podcast.tags : [])));
      const isCurrent = (): boolean =>
        [...before].every(([digest, podcast]) => this.#podcastsAt([digest]).get(digest) === podcast);
      if (!(await this.#take(documents, withCounts, isCurrent))) continue;
      for (const digest of wanted) if (!documents.get(digest)?.url) this.#forget(digest);
      return;
    }
  }

  /** Its podcast was removed: see `removeUnused`. One that has subscribers is being stored again. */
  #forget(digest: UrlDigest): void {
    const podcast = this.memory.address(digest)?.home.podcast;
    if (!podcast || subscribersOf(podcast) > 0) return;
    for (const each of this.memory.addressesOf(podcast)) this.leases.set(each.digest, undefined);
    this.memory.remove(podcast);
  }

  #podcastsAt(digests: Iterable<UrlDigest>): Map<UrlDigest, StoredPodcast | undefined> {
    return new Map(Array.from(digests, (digest) => [digest, this.memory.address(digest)?.home.podcast]));
  }

  /** Of tags that are not known here. */
  async #readTitles(tags: readonly string[]): Promise<void> {
    const unknown = this.memory.tags.unknown(tags);
    if (unknown.length === 0) return;
    for (const entry of await this.store.get(unknown.map((slug) => tagKey(urlDigest(slug))))) {
      if (entry) this.memory.tags.setTitle(parse<TagDocument>(entry.value));
    }
  }

  /** Puts what was read into memory, unless `isCurrent` says that something else was put there meanwhile. */
  async #take(
    documents: ReadonlyMap<UrlDigest, AddressDocuments>,
    withCounts: boolean,
    isCurrent = (): boolean => true,
  ): Promise<boolean> {
    const { memory } = this;
    const podcasts = toPodcasts(documents).filter((podcast) => withCounts || this.#isNew(podcast));
    const sets = new Map<PodcastFields, SubscriberSet>();
    try {
      for (const { fields } of podcasts) {
        if (fields.formerUrls.length > 0) sets.set(fields, await this.readSubscribers(urlsOf(fields)));
      }
      if (!isCurrent()) return false;
      for (const podcast of podcasts) {
        const { digest, fields, version } = podcast;
        if (this.#isNew(podcast)) memory.put(fields, version, sets.get(fields));
        else if (sets.has(fields)) memory.setMerged(memory.address(digest)!, sets.get(fields)!);
      }
    } finally {
      for (const set of sets.values()) memory.endLoading(set);
    }
    for (const [digest, { lease, ...counts }] of documents) {
      if (this.store.isShared) this.leases.set(digest, lease);
      if (withCounts && !this.recounted.has(digest)) memory.setCounts(digest, counts);
    }
    return true;
  }

  #isNew({ digest, version }: ReadPodcast): boolean {
    const known = this.memory.address(digest)?.podcast;
    return known?.version !== version;
  }

  /** Who subscribes to a podcast with these URLs. Changes of this process go to the set until `endLoading`. */
  async readSubscribers(urls: readonly Url[]): Promise<SubscriberSet> {
    const set = new SubscriberSet();
    const digests = urls.map(urlDigest);
    this.memory.beginLoading(set, digests);
    try {
      await set.load(this.store, digests);
      return set;
    } catch (error) {
      this.memory.endLoading(set);
      throw error;
    }
  }

  /**
   * Changes a podcast. `decide` goes by what is in memory; where another change came first, what is stored is read
   * again, and it decides again. Undefined: nothing is to change.
   */
  async change(decide: () => Promise<PodcastChange | undefined>): Promise<void> {
    for (;;) {
      const change = await decide();
      if (!change || (await this.#commit(change))) return;
      const urls = [...urlsOf(change.podcast), ...change.replaces.flatMap(urlsOf)];
      const digests = urls.map(urlDigest);
      if (this.store.isShared) for (const digest of digests) this.recounted.add(digest); // some may be new here
      await this.#readTitles(change.podcast.tags);
      await this.reload(digests, false);
    }
  }

  async #commit(change: PodcastChange): Promise<boolean> {
    const { memory } = this;
    const { podcast, episodes } = change;
    const isMerged = podcast.formerUrls.length > (memory.find(podcast.url)?.formerUrls.length ?? 0);
    const tags = memory.tags.claim(podcast.tags);
    let merged: SubscriberSet | undefined;
    let version: Version | undefined;
    try {
      merged = isMerged ? await this.readSubscribers(urlsOf(podcast)) : undefined;
      const { isShared } = this.store;
      const addressAt = (digest: UrlDigest): Address | undefined => memory.address(digest);
      version = await this.store.commit(toBatch(change, { isShared, now: this.context.now(), addressAt, tags }));
      if (version === undefined) return false;
      const before = memory.find(podcast.url);
      const stored = memory.put(podcast, version, merged);
      if (episodes) this.episodes.keep(stored, episodes.episodes);
      else if (before) this.episodes.keepAs(before, stored);
      if (change.endsLease) for (const url of urlsOf(podcast)) this.leases.set(urlDigest(url), undefined);
      return true;
    } finally {
      if (version === undefined) memory.tags.release(tags);
      if (merged) memory.endLoading(merged);
    }
  }

  /** The podcast that has or had a URL, with its episodes, as of one moment. */
  async withEpisodes(url: Url): Promise<{ podcast: StoredPodcast | undefined; episodes: readonly PlacedEpisode[] }> {
    for (;;) {
      const podcast = this.memory.find(url);
      const episodes = await this.episodes.read(podcast);
      if (this.memory.find(url) === podcast) return { podcast, episodes };
    }
  }

  /** Changes the kept toplists; `decide` returns them as they are where nothing is to change. */
  async changeToplists(decide: () => readonly KeptToplist[]): Promise<void> {
    if (this.store.isShared) await this.reloadToplists();
    for (;;) {
      const kept = decide();
      if (kept === this.memory.toplist.kept) return;
      const version = await this.store.commit({
        check: [[TOPLISTS_KEY, this.#toplistsVersion]],
        set: [[TOPLISTS_KEY, JSON.stringify(kept)], ...this.changes(['toplists'])],
      });
      if (version === undefined) {
        await this.reloadToplists();
        continue;
      }
      this.memory.toplist.kept = kept;
      this.#toplistsVersion = version;
      return;
    }
  }

  /** What tells other processes of changes. */
  changes(changed: readonly (UrlDigest | 'toplists')[]): [Key, Value][] {
    if (!this.store.isShared) return [];
    return changed.map((what) => [changedKey(this.context.now(), what), '1']);
  }

  /** How a tag was first written; nothing happens where that is known. */
  async addTag(tag: TagDocument): Promise<void> {
    if (this.memory.tags.has(tag.tag)) return;
    const key = tagKey(urlDigest(tag.tag));
    const version = await this.store.commit({ check: [[key, 0]], set: [[key, JSON.stringify(tag)]] });
    if (version === undefined) await this.#readTitles([tag.tag]);
    else this.memory.tags.setTitle(tag);
  }

  readonly has = (digest: UrlDigest): boolean => this.memory.address(digest) !== undefined;

  readonly shownUrl = (url: Url): Url => this.memory.find(url)?.url ?? url;

  isListed(url: Url): boolean {
    const address = this.memory.address(urlDigest(url));
    return address !== undefined && address.home.isListed && !isSecret(address);
  }

  isInUse(digest: UrlDigest): boolean {
    const podcast = this.memory.address(digest)?.home.podcast;
    return podcast !== undefined && subscribersOf(podcast) > 0;
  }

  apply(user: UserId, change: CopyChange, since: Seconds): Promise<void> {
    const counted = (digest: UrlDigest): void => {
      if (this.store.isShared) this.recounted.add(digest);
    };
    return applyChange({ memory: this.memory, graph: this.graph, counted }, user, change, since);
  }

  /** Forgets all, once it is removed from the store. */
  clear(): void {
    const parts = [this.memory, this.episodes, this.graph, this.leases, this.recounted];
    for (const part of parts) part.clear();
    this.#toplistsVersion = 0;
  }

  close(): void {
    this.memory.search.close();
  }
}
