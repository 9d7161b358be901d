import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Low } from 'lowdb';
import {
  compareText,
  logoHash,
  markAfter,
  type Podcast,
  type Seconds,
  type Stamp,
  type Url,
  type UserId,
} from '../../../src/old-plugin.ts';
import { Audience } from './audience.ts';
import type { Catalogue } from './catalogue.ts';
import { createFolder } from './folder.ts';
import { SearchIndex } from './search-index.ts';
import { Shard, type StoredPodcast } from './shard.ts';
import { openSnapshot } from './snapshot.ts';
import { Tags } from './tags.ts';
import { type KeptToplist, Toplist } from './toplist.ts';

/**
 * What can happen to the directory. Each change has the whole of what it is about, so that no harm is done when the
 * journal is replayed on a snapshot that has it already.
 */
export type DirectoryChange =
  /** Feeds that were heard of. Nothing happens to those that are known. */
  | { kind: 'meet'; urls: Url[]; at: Seconds }
  /** It takes the place of whatever stood under its URLs, former ones too. */
  | { kind: 'podcast'; podcast: StoredPodcast }
  /** How a tag was first written. */
  | { kind: 'tag'; tag: string; title: string }
  | { kind: 'toplists'; kept: KeptToplist[] };

interface DirectoryFile {
  tags: { tag: string; title: string }[];
  toplists: KeptToplist[];
}

const SHARDS = 32;

/** All podcasts, in memory but for their episodes. */
export class Directory implements Catalogue {
  readonly audience = new Audience();
  readonly tags: Tags;
  readonly toplist: Toplist;
  readonly search: SearchIndex;
  /** Stamp of an episode that is being written. */
  pending: Stamp | undefined;
  /** The newest stamp of any episode. */
  stamp: Stamp = 0;
  readonly #folder: string;
  readonly #file: Low<DirectoryFile>;
  readonly #shards: readonly Shard[];
  /** By every URL that they have or had. */
  readonly #byUrl = new Map<Url, StoredPodcast>();
  /** By hash; undefined until somebody asks. */
  #logos: Map<string, string> | undefined;
  #isSaved = true;

  private constructor(folder: string, file: Low<DirectoryFile>, shards: readonly Shard[]) {
    this.#folder = folder;
    this.#file = file;
    this.#shards = shards;
    this.tags = new Tags(file.data.tags);
    this.toplist = new Toplist(this, file.data.toplists);
    this.search = new SearchIndex(this);
    for (const podcast of this.all()) this.#index(podcast);
  }

  static async open(folder: string): Promise<Directory> {
    const file = await openSnapshot<DirectoryFile>(join(folder, 'directory.json'), { tags: [], toplists: [] });
    const shards = await Promise.all(Array.from({ length: SHARDS }, (_, at) => Shard.open(shardPath(folder, at))));
    return new Directory(folder, file, shards);
  }

  /** By any URL that it had. */
  find(url: Url): StoredPodcast | undefined {
    return this.#byUrl.get(url);
  }

  *all(): Iterable<StoredPodcast> {
    for (const shard of this.#shards) yield* shard.podcasts.values();
  }

  /** Those that the directory does not know, each once. */
  unknown(urls: Iterable<Url>): Url[] {
    const unknown = new Set<Url>();
    for (const url of urls) if (!this.#byUrl.has(url)) unknown.add(url);
    return [...unknown];
  }

  toPodcast(stored: StoredPodcast): Podcast {
    const { formerUrls: _, feed: __, newestEpisode: ___, shelf: ____, ...podcast } = stored;
    return { ...podcast, tags: [...podcast.tags], subscribers: this.audience.count(podcast.url) };
  }

  byPopularity(a: StoredPodcast, b: StoredPodcast): number {
    return this.audience.count(b.url) - this.audience.count(a.url) || compareText(a.url, b.url);
  }

  /** Not to be handed out as it is: see `Database.mark`. */
  mark(now: Seconds): Stamp {
    return this.pending === undefined ? Math.max(now, markAfter(this.stamp)) : this.pending - 1;
  }

  /** The logo URL whose SHA-256 this is. */
  logo(hash: string): string | undefined {
    this.#logos ??= new Map([...this.all()].flatMap(logoOf));
    return this.#logos.get(hash);
  }

  apply(changes: readonly DirectoryChange[]): void {
    for (const change of changes) this.#applyOne(change);
  }

  #applyOne(change: DirectoryChange): void {
    switch (change.kind) {
      case 'meet':
        for (const url of this.unknown(change.urls)) this.#put(newcomer(url, change.at));
        break;
      case 'podcast':
        this.#put(change.podcast);
        break;
      case 'tag':
        if (this.tags.meet(change.tag, change.title)) this.#isSaved = false;
        break;
      case 'toplists':
        this.toplist.kept = change.kept;
        this.#isSaved = false;
        break;
    }
  }

  /** Notes whether a user subscribes to a feed, under any URL that it had. Answers whether that changed anything. */
  count(user: UserId, url: Url, subscribes: (url: Url) => boolean): boolean {
    const podcast = this.find(url);
    const shown = podcast?.url ?? url;
    const isNews = this.audience.set(user, shown, (podcast ? urlsOf(podcast) : [url]).some(subscribes));
    if (isNews) this.toplist.changed(shown);
    return isNews;
  }

  forget(user: UserId): void {
    for (const url of this.audience.remove(user)) this.toplist.changed(url);
  }

  clear(): void {
    for (const shard of this.#shards) for (const url of shard.podcasts.keys()) this.#remove(url);
    this.audience.clear();
    this.tags.clear();
    this.toplist.clear();
    this.stamp = 0;
    this.#byUrl.clear();
    this.#logos = undefined;
    this.#isSaved = false;
  }

  #shardOf(url: Url): Shard {
    return this.#shards[crc32(url) % SHARDS]!;
  }

  #put(podcast: StoredPodcast): void {
    this.#remove(podcast.url, podcast);
    const shard = this.#shardOf(podcast.url);
    shard.podcasts.set(podcast.url, podcast);
    shard.isSaved = false;
    if (this.#index(podcast)) this.#isSaved = false;
    for (const former of podcast.formerUrls) {
      this.#remove(former); // what was known there before, or met meanwhile
      this.audience.merge(former, podcast.url);
    }
    for (const [hash, logoUrl] of logoOf(podcast)) this.#logos?.set(hash, logoUrl);
    this.search.changed(podcast.url);
    this.toplist.changed(podcast.url);
  }

  #remove(url: Url, successor?: StoredPodcast): void {
    const shard = this.#shardOf(url);
    const podcast = shard.podcasts.get(url);
    if (!podcast) return;
    // Whether others have that logo is found out when somebody asks.
    if (podcast.logoUrl !== null && podcast.logoUrl !== successor?.logoUrl) this.#logos = undefined;
    shard.podcasts.delete(url);
    for (const each of urlsOf(podcast)) if (this.#byUrl.get(each) === podcast) this.#byUrl.delete(each);
    shard.isSaved = false;
    this.tags.remove(url, podcast.tags);
    this.search.changed(url);
    this.toplist.changed(url);
  }

  /** Answers whether the directory's own file has changed with it. */
  #index(podcast: StoredPodcast): boolean {
    const { url, tags, newestEpisode = 0 } = podcast;
    for (const each of urlsOf(podcast)) this.#byUrl.set(each, podcast);
    this.stamp = Math.max(this.stamp, newestEpisode);
    return this.tags.add(url, tags);
  }

  async save(): Promise<void> {
    await createFolder(join(this.#folder, 'podcasts'));
    for (const shard of this.#shards) if (!shard.isSaved) await shard.save();
    if (this.#isSaved) return;
    this.#isSaved = true;
    const tags = [...this.tags.titles].map(([tag, title]) => ({ tag, title }));
    this.#file.data = { tags, toplists: this.toplist.kept };
    await this.#file.write().catch((error) => {
      this.#isSaved = false;
      throw error;
    });
  }
}

const shardPath = (folder: string, at: number): string =>
  join(folder, 'podcasts', `${String(at).padStart(2, '0')}.json`);

const urlsOf = ({ url, formerUrls }: StoredPodcast): Url[] => [...formerUrls, url];

const logoOf = ({ logoUrl }: StoredPodcast): [hash: string, logoUrl: string][] =>
  logoUrl === null ? [] : [[logoHash(logoUrl), logoUrl]];

/** A feed that nobody has read yet. It is due at once. */
const newcomer = (url: Url, at: Seconds): StoredPodcast => ({
  url,
  formerUrls: [],
  title: '',
  author: '',
  description: '',
  website: '',
  logoUrl: null,
  language: '',
  tags: [],
  feed: { intervalSeconds: 0, failures: 0, nextAt: at },
});
