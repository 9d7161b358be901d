import type { Url } from '../../domain/types.ts';
import type { Key, KeyValueStore, Value, Version } from '../contract.ts';
import { changedKey, tagKey, under, type UrlDigest, urlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { StorageContext } from '../stores.ts';
import { type PodcastChange, toBatch } from './change.ts';
import {
  type AddressDocuments,
  collectDocuments,
  documentKeys,
  type LoadedPodcast,
  movedTo,
  parse,
  type TagDocument,
  toPodcasts,
} from './documents.ts';
import { EpisodeStore } from './episode-store.ts';
import type { ChunkedEpisode } from './episodes.ts';
import { Leases } from './leases.ts';
import { Memory } from './memory.ts';
import { type Address, type PodcastFields, type StoredPodcast, subscribersOf, urlsOf } from './podcast.ts';
import { SubscriberGraph } from './subscriber-graph.ts';
import { SubscriberSet } from './subscriber-set.ts';
import { ToplistSnapshots } from './toplist-snapshots.ts';

/** URLs per read of documents. */
const READ_AT_ONCE = 500;

/** The directory of a store: its copy in memory, how that is kept up to date, and how changes are committed. */
export class Directory {
  readonly store: KeyValueStore;
  readonly context: Pick<StorageContext, 'now' | 'log'>;
  readonly memory = new Memory();
  readonly episodes: EpisodeStore;
  readonly graph: SubscriberGraph;
  readonly leases: Leases;
  readonly snapshots: ToplistSnapshots;
  /** URLs whose subscriber counts were changed here and must be read again. Only used if the store is shared. */
  readonly dirtyCounts = new Set<UrlDigest>();

  private constructor(store: KeyValueStore, context: Pick<StorageContext, 'now' | 'log'>) {
    this.store = store;
    this.context = context;
    this.episodes = new EpisodeStore(store);
    this.graph = new SubscriberGraph(store, (digest) => this.memory.address(digest));
    this.leases = new Leases(store);
    this.snapshots = new ToplistSnapshots(store, this.memory.toplist, () => this.changes(['toplists']));
  }

  static async open(store: KeyValueStore, context: Pick<StorageContext, 'now' | 'log'>): Promise<Directory> {
    const directory = new Directory(store, context);
    await directory.load();
    directory.memory.search.buildSoon();
    return directory;
  }

  /** Reads all podcasts, tags and toplists when the store is opened. */
  async load(): Promise<void> {
    for await (const page of scan(this.store, under('k/tag/'))) {
      for (const { value } of page) this.memory.tags.setTitle(parse<TagDocument>(value));
    }
    await this.snapshots.reload();
    const documents = new Map<UrlDigest, AddressDocuments>();
    for await (const page of scan(this.store, under('p/'))) collectDocuments(page, documents);
    await this.#take(documents, true);
  }

  /** Reads everything again. Unlike `load`, it keeps what this process changes meanwhile. */
  async reloadAll(): Promise<void> {
    const digests = new Set(Array.from(this.memory.all(), ({ address }) => address.digest));
    for await (const page of scan(this.store, under('p/'))) {
      for (const digest of collectDocuments(page).keys()) digests.add(digest);
    }
    await this.snapshots.reload();
    await this.reload(digests, true);
  }

  /** Reads these URLs again, with all other URLs of their podcasts. `withCounts`: also the subscriber counts. */
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

  /**
   * Drops a podcast that was removed from the store (see `removeUnused`). If it has subscribers, it is being stored
   * again.
   */
  #forget(digest: UrlDigest): void {
    const podcast = this.memory.address(digest)?.home.podcast;
    if (!podcast || subscribersOf(podcast) > 0) return;
    for (const each of this.memory.addressesOf(podcast)) this.leases.set(each.digest, undefined);
    this.memory.remove(podcast);
  }

  #podcastsAt(digests: Iterable<UrlDigest>): Map<UrlDigest, StoredPodcast | undefined> {
    return new Map(Array.from(digests, (digest) => [digest, this.memory.address(digest)?.home.podcast]));
  }

  /** Reads the titles of tags that this process does not know. */
  async #readTitles(tags: readonly string[]): Promise<void> {
    const unknown = this.memory.tags.unknown(tags);
    if (unknown.length === 0) return;
    for (const entry of await this.store.get(unknown.map((slug) => tagKey(urlDigest(slug))))) {
      if (entry) this.memory.tags.setTitle(parse<TagDocument>(entry.value));
    }
  }

  /** Puts loaded documents into memory, unless `isCurrent` reports that the copy has changed meanwhile. */
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
        if (this.#isNew(podcast)) memory.put(fields, version, { digest, merged: sets.get(fields) });
        else if (sets.has(fields)) memory.setMerged(memory.address(digest)!, sets.get(fields)!);
      }
    } finally {
      for (const set of sets.values()) memory.endLoading(set);
    }
    for (const [digest, { lease, ...counts }] of documents) {
      if (this.store.isShared) this.leases.set(digest, lease);
      if (withCounts && !this.dirtyCounts.has(digest)) memory.setCounts(digest, counts);
    }
    return true;
  }

  #isNew({ digest, version }: LoadedPodcast): boolean {
    const known = this.memory.address(digest)?.podcast;
    return known?.version !== version;
  }

  /**
   * Reads the subscribers of a podcast with these URLs. Until `endLoading`, changes of this process are applied to the
   * set.
   */
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
   * Changes a podcast. `decide` works on the copy in memory. If another change was committed first, the copy is
   * reloaded and `decide` is called again. Undefined: nothing to change.
   */
  async change(decide: () => Promise<PodcastChange | undefined>): Promise<void> {
    for (;;) {
      const change = await decide();
      if (!change || (await this.#commit(change))) return;
      const urls = [...urlsOf(change.podcast), ...change.replaces.flatMap(urlsOf)];
      const digests = urls.map(urlDigest);
      if (this.store.isShared) for (const digest of digests) this.dirtyCounts.add(digest); // some may be new here
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
      const stored = memory.put(podcast, version, { merged });
      if (episodes) this.episodes.cache(stored, episodes.episodes);
      else if (before) this.episodes.carryOver(before, stored);
      if (change.endsLease) for (const url of urlsOf(podcast)) this.leases.set(urlDigest(url), undefined);
      return true;
    } finally {
      if (version === undefined) memory.tags.release(tags);
      if (merged) memory.endLoading(merged);
    }
  }

  /** The podcast with this current or former URL, and its episodes, as one snapshot. */
  async withEpisodes(url: Url): Promise<{ podcast: StoredPodcast | undefined; episodes: readonly ChunkedEpisode[] }> {
    for (;;) {
      const podcast = this.memory.find(url);
      const episodes = await this.episodes.read(podcast);
      if (this.memory.find(url) === podcast) return { podcast, episodes };
    }
  }

  /** Entries that notify other processes of changes. */
  changes(changed: readonly (UrlDigest | 'toplists')[]): [Key, Value][] {
    if (!this.store.isShared) return [];
    return changed.map((what) => [changedKey(this.context.now(), what), '1']);
  }

  /** Stores the first spelling of a tag, unless there is one already. */
  async addTag(tag: TagDocument): Promise<void> {
    if (this.memory.tags.has(tag.tag)) return;
    const key = tagKey(urlDigest(tag.tag));
    const version = await this.store.commit({ check: [[key, 0]], set: [[key, JSON.stringify(tag)]] });
    if (version === undefined) await this.#readTitles([tag.tag]);
    else this.memory.tags.setTitle(tag);
  }

  /** Clears the memory, after everything was removed from the store. */
  clear(): void {
    const parts = [this.memory, this.episodes, this.graph, this.leases, this.snapshots, this.dirtyCounts];
    for (const part of parts) part.clear();
  }

  close(): void {
    this.memory.search.close();
  }
}
