import { inBatches } from '../../batches.ts';
import type { Url, UserId } from '../../domain/types.ts';
import type { Batch, Entry, Key, KeyValueStore, Value, Version } from '../contract.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { StorageContext } from '../stores.ts';
import { readValue, valuesOf } from '../values.ts';
import {
  documentKeys,
  groupByUrl,
  movedTo,
  type TagDocument,
  toDocument,
  toFields,
  type UrlDocument,
  type UrlDocuments,
} from './documents.ts';
import { type EpisodeBatch, EpisodeStore, replaceEpisodes } from './episode-store.ts';
import { type ChunkedEpisode, toNewest } from './episodes.ts';
import {
  type Change,
  changeKey,
  partsOf,
  podcastKey,
  PODCASTS,
  SUBSCRIPTIONS,
  tagKey,
  TAGS,
  TOPLISTS_KEY,
  toSubscription,
} from './keys.ts';
import { Memory } from './memory.ts';
import { type PodcastFields, type StoredPodcast, subscribersOf, urlsOf } from './podcast.ts';

/** URLs or subscriptions per read. */
const READ_AT_ONCE = 500;

/** A change of one podcast. */
export interface PodcastChange {
  /** `formerUrls` and the newest episode need not be those of the replaced podcasts and their episodes. */
  podcast: PodcastFields;
  /** The stored podcasts that it replaces, its own previous version included. */
  replaces: readonly StoredPodcast[];
  /** The episodes of the replaced podcasts, and those after the change, newest first; undefined if they do not change. */
  episodes?: { before: readonly ChunkedEpisode[]; after: readonly ChunkedEpisode[] };
  /** Whether to release the lease of the feed. */
  endsLease?: boolean;
}

/** The directory of a store: its copy in memory, how that is read, and how changes are committed. */
export class Directory {
  readonly store: KeyValueStore;
  readonly context: StorageContext;
  readonly memory = new Memory();
  readonly episodes: EpisodeStore;
  /** Subscriptions that this process has changed since the last refresh. Only used if the store is shared. */
  readonly changedHere = new Set<Key>();

  constructor(store: KeyValueStore, context: StorageContext) {
    this.store = store;
    this.context = context;
    this.episodes = new EpisodeStore(store);
  }

  /** Reads everything when the store is opened. */
  async load(): Promise<void> {
    for await (const page of scan(this.store, TAGS)) this.#setTitles(page);
    await this.reloadToplists();
    await this.#readAllSubscriptions();
    const documents = new Map<UrlDigest, UrlDocuments>();
    for await (const page of scan(this.store, PODCASTS)) groupByUrl(page, documents);
    for (const [digest, found] of documents) this.#updateUrl(digest, found);
  }

  /** Reads everything again. Unlike `load`, it keeps what this process changes meanwhile. */
  async reloadAll(): Promise<void> {
    await this.reloadToplists();
    await this.#readAllSubscriptions();
    const digests = new Set(this.memory.all().map(({ address }) => address.digest));
    for await (const page of scan(this.store, PODCASTS)) {
      for (const { key } of page) digests.add(partsOf(key)[0]);
    }
    await this.reload(digests);
  }

  async reloadToplists(): Promise<void> {
    this.memory.toplist.snapshots = (await readValue(this.store, TOPLISTS_KEY)) ?? [];
  }

  /** Reads these URLs again, and those that they have moved to. */
  async reload(digests: Iterable<UrlDigest>): Promise<void> {
    for (const some of inBatches([...digests], READ_AT_ONCE)) {
      for (let left = some; left.length > 0;) left = await this.#reloadSome(left);
    }
  }

  /** Returns the URLs to be read next: those that have changed meanwhile, and those that podcasts have moved to. */
  async #reloadSome(digests: readonly UrlDigest[]): Promise<UrlDigest[]> {
    const before = digests.map((digest) => this.memory.at(digest));
    const documents = groupByUrl(await this.store.get(digests.flatMap(documentKeys)));
    await this.#readTitles([...documents.values()].flatMap((found) => toFields(found)?.tags ?? []));
    const next: UrlDigest[] = [];
    for (const [at, digest] of digests.entries()) {
      const found = documents.get(digest) ?? { version: 0 };
      const known = this.memory.at(digest);
      const target = movedTo(found);
      if (known !== before[at]) next.push(digest);
      else if (target === undefined) this.#updateUrl(digest, found);
      else if (target !== known?.url) next.push(urlDigest(target));
    }
    return next;
  }

  /** Puts what was read of a URL into memory. */
  #updateUrl(digest: UrlDigest, found: UrlDocuments): void {
    const fields = toFields(found);
    const known = this.memory.at(digest);
    if (fields) {
      if (this.memory.address(digest)?.podcast?.version !== found.version) this.memory.put(fields, found.version);
    } else if (!found.url && known && subscribersOf(known) === 0) {
      this.memory.remove(known); // see `removeUnused`; if it has subscribers, it is being stored again
    }
    const address = this.memory.address(digest);
    if (address && this.store.isShared) address.lease = found.lease;
  }

  async #readAllSubscriptions(): Promise<void> {
    const unseen = new Set(this.memory.subscriptionKeys());
    for await (const page of scan(this.store, SUBSCRIPTIONS)) {
      for (const entry of page) {
        unseen.delete(entry.key);
        this.#updateSubscription(entry.key, entry);
      }
    }
    await this.readSubscriptions(unseen);
  }

  /** Reads subscriptions again, by their keys. */
  async readSubscriptions(keys: Iterable<Key>): Promise<void> {
    for (const some of inBatches([...keys], READ_AT_ONCE)) {
      const entries = await this.store.get(some);
      for (const [at, key] of some.entries()) this.#updateSubscription(key, entries[at]);
    }
  }

  #updateSubscription(key: Key, entry: Entry | undefined): void {
    if (this.changedHere.has(key)) return;
    const [digest, user] = partsOf(key) as [UrlDigest, UserId];
    this.memory.subscribe(user, digest, toSubscription(entry));
  }

  /**
   * Changes a podcast. `decide` works on the copy in memory. If another change was committed first, the copy is
   * reloaded and `decide` is called again. Undefined: nothing to change.
   */
  async change(decide: () => Promise<PodcastChange | undefined>): Promise<void> {
    for (;;) {
      const change = await decide();
      if (!change) return;
      await this.addTags(this.memory.tags.newTitles(change.podcast.tags));
      if (await this.#commit(change)) return;
      await this.reload([change.podcast, ...change.replaces].flatMap(urlsOf).map(urlDigest));
    }
  }

  async #commit(change: PodcastChange): Promise<boolean> {
    const { memory } = this;
    const { replaces } = change;
    const podcast = toChanged(change);
    const known = urlsOf(podcast).flatMap((url) => memory.find(url) ?? []);
    if (!known.every((each) => replaces.includes(each))) return false; // it was decided before one of them existed
    const { before, after } = change.episodes ?? {};
    const episodes = before && after && replaceEpisodes(urlDigest(podcast.url), before, after);
    const version = await this.store.commit(this.#toBatch(podcast, change, episodes));
    if (version === undefined) return false;
    const isReloaded = replaces.some((each) => memory.at(each.address.digest) !== each);
    if (isReloaded) {
      await this.reload(urlsOf(podcast).map(urlDigest)); // what was read during the commit may be newer than it
      return true;
    }
    const current = memory.find(podcast.url);
    const stored = memory.put(podcast, version);
    if (episodes) this.episodes.cache(stored, episodes.episodes);
    else if (current) this.episodes.carryOver(current, stored);
    if (change.endsLease) for (const address of stored.address.addresses) address.lease = undefined;
    return true;
  }

  /** Fails if any of the replaced podcasts has changed meanwhile. */
  #toBatch(podcast: PodcastFields, { replaces, endsLease }: PodcastChange, episodes: EpisodeBatch | undefined): Batch {
    const { isShared } = this.store;
    const check: [Key, Version][] = [];
    const set: (readonly [Key, Value])[] = [...(episodes?.set ?? [])];
    const deleted: Key[] = [...(episodes?.delete ?? [])];
    for (const { address, version } of replaces) check.push([podcastKey(address.digest, 'podcast'), version]);
    for (const url of urlsOf(podcast)) {
      const digest = urlDigest(url);
      const known = this.memory.at(digest);
      if (!known) check.push([podcastKey(digest, 'podcast'), 0]);
      // A podcast whose feed was never fetched may be removed concurrently.
      if (!known || known.version === 0) {
        const document: UrlDocument = { url, since: this.context.now() };
        set.push([podcastKey(digest, 'url'), JSON.stringify(document)]);
      }
      if (endsLease && isShared) deleted.push(podcastKey(digest, 'lease'));
      const isFormer = url !== podcast.url;
      if (isFormer && known?.url === podcast.url) continue; // already points to it
      const document = isFormer ? { movedTo: podcast.url } : toDocument(podcast);
      set.push([podcastKey(digest, 'podcast'), JSON.stringify(document)], ...this.notifications([digest]));
    }
    return { check, set, delete: deleted };
  }

  /** The podcast with this current or former URL, and its episodes, as one snapshot. */
  async withEpisodes(url: Url): Promise<{ podcast: StoredPodcast | undefined; episodes: readonly ChunkedEpisode[] }> {
    for (;;) {
      const podcast = this.memory.find(url);
      const episodes = await this.episodes.read(podcast);
      if (this.memory.find(url) === podcast) return { podcast, episodes };
    }
  }

  /** Stores the first spelling of tags that have none yet. */
  async addTags(tags: readonly TagDocument[]): Promise<void> {
    if (tags.length === 0) return;
    const version = await this.store.commit({
      check: tags.map(({ tag }) => [tagKey(tag), 0]),
      set: tags.map((each) => [tagKey(each.tag), JSON.stringify(each)]),
    });
    if (version !== undefined) for (const each of tags) this.memory.tags.setTitle(each);
    else {
      const stored = await this.store.get(tags.map(({ tag }) => tagKey(tag)));
      this.#setTitles(stored);
      await this.addTags(tags.filter((_, at) => !stored[at]));
    }
  }

  /** Reads the titles of tags that this process does not know. */
  async #readTitles(tags: readonly string[]): Promise<void> {
    const unknown = this.memory.tags.newTitles(tags);
    if (unknown.length > 0) this.#setTitles(await this.store.get(unknown.map(({ tag }) => tagKey(tag))));
  }

  #setTitles(entries: readonly (Entry | undefined)[]): void {
    for (const tag of valuesOf<TagDocument>(entries)) this.memory.tags.setTitle(tag);
  }

  /** Entries that notify other processes of changes. */
  notifications(changes: readonly Change[]): [Key, Value][] {
    return this.store.isShared ? changes.map((change) => [changeKey(this.context.now(), change), '1']) : [];
  }

  /** To be called when everything was removed from the store. */
  async clear(): Promise<void> {
    this.changedHere.clear();
    await this.reloadAll();
  }
}

/** The podcast after a change. */
function toChanged({ podcast, replaces, episodes }: PodcastChange): PodcastFields {
  const { address: _, version: __, newestStamp: ___, ...fields } = podcast as StoredPodcast;
  const former = new Set([...podcast.formerUrls, ...replaces.flatMap(urlsOf)]);
  former.delete(podcast.url);
  const known = replaces.map(({ newestStamp = 0 }) => newestStamp);
  const newest = (episodes?.after ?? []).reduce((max, { stamp }) => Math.max(max, stamp), Math.max(0, ...known));
  const newestEpisode = episodes ? episodes.after[0] && toNewest(episodes.after[0]) : podcast.newestEpisode;
  // Not a spread: on Node 20, an object that gets properties after one takes more memory, and is slower to read.
  return Object.assign(fields, {
    formerUrls: [...former],
    newestEpisode,
    ...(newest > 0 && { newestStamp: newest }),
  });
}
