import { LRUCache } from 'lru-cache';
import type { Seconds, Url } from '../../domain/types.ts';
import type { Entry, Key, KeyValueStore, Value, Version } from '../contract.ts';
import { episodesKey, under, type UrlDigest, urlDigest } from '../keys.ts';
import type { StoredPodcast } from './podcast.ts';
import { parse } from './documents.ts';
import { byName, type PlacedEpisode, sortEpisodes, type StoredEpisode, UNPLACED } from './episodes.ts';

/** Characters of episodes that stay in memory. */
const IN_MEMORY = 32 * 1024 * 1024;
/** Names of episodes whose durations stay in memory. */
const DURATIONS_IN_MEMORY = 200_000;
/** A chunk that has so many characters takes no more episodes, so that one new episode rewrites little. */
const FULL = 64 * 1024;
/** Where changes make a chunk longer than this, its last episodes go to another one. */
const LONGEST = 1024 * 1024;
/** More than any podcast has, so that its chunks are read in one step. */
const ALL_CHUNKS = 100_000;

/** What storing episodes does. */
export interface EpisodeBatch {
  set: [Key, Value][];
  delete: Key[];
  /** As they are stored then. */
  episodes: readonly PlacedEpisode[];
}

/** The episodes of each podcast, in chunks in the order they were first seen. */
export class EpisodeStore {
  readonly #store: KeyValueStore;
  readonly #read = new LRUCache<UrlDigest, { version: Version; episodes: readonly PlacedEpisode[]; size: number }>({
    maxSize: IN_MEMORY,
    sizeCalculation: ({ size }) => size,
  });

  /** Small beside the episodes: a history of plays asks for those of all its podcasts, page after page. */
  readonly #durations = new LRUCache<UrlDigest, { version: Version; byName: ReadonlyMap<string, Seconds> }>({
    maxSize: DURATIONS_IN_MEMORY,
    sizeCalculation: ({ byName: { size } }) => size + 1,
  });

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Newest first; never older than the podcast is given. */
  async read(podcast: StoredPodcast | undefined): Promise<readonly PlacedEpisode[]> {
    if (podcast?.newestEpisode === undefined) return [];
    const { digest } = podcast.address;
    const known = this.#read.get(digest);
    if (known?.version === podcast.version) return known.episodes;
    const chunks = await this.#store.list({ ...under(`e/${digest}/`), limit: ALL_CHUNKS });
    const episodes = sortEpisodes(chunks.flatMap(toEpisodes));
    this.keep(podcast, episodes);
    return episodes;
  }

  /** By every name that an episode has or had; only where the feed says how long it plays. */
  async durations(podcast: StoredPodcast | undefined): Promise<ReadonlyMap<string, Seconds>> {
    if (podcast?.newestEpisode === undefined) return new Map();
    const { address, version } = podcast;
    const known = this.#durations.get(address.digest);
    if (known?.version === version) return known.byName;
    const durations = new Map<string, Seconds>();
    for (const [name, { duration }] of byName(await this.read(podcast))) {
      if (duration !== undefined) durations.set(name, duration);
    }
    this.#durations.set(address.digest, { version, byName: durations });
    return durations;
  }

  /** Remembers what is stored, or was read, of a podcast. */
  keep({ address, version }: Pick<StoredPodcast, 'address' | 'version'>, episodes: readonly PlacedEpisode[]): void {
    const size = episodes.reduce((sum, { description }) => sum + 500 + description.length, 1);
    this.#read.set(address.digest, { version, episodes, size });
  }

  /** The podcast was changed, but its episodes were not. */
  keepAs(before: StoredPodcast, after: StoredPodcast): void {
    for (const cache of [this.#read, this.#durations]) {
      const known = cache.get(before.address.digest);
      if (known?.version === before.version) known.version = after.version;
    }
  }

  clear(): void {
    this.#read.clear();
    this.#durations.clear();
  }
}

function toEpisodes({ key, value }: Entry): PlacedEpisode[] {
  const chunk = Number(key.slice(key.lastIndexOf('/') + 1));
  return parse<StoredEpisode[]>(value).map((episode) => ({ ...episode, chunk }));
}

/** What stores the episodes of a podcast that takes the place of others: `known` are theirs, one after the other. */
export function replaceEpisodes(
  url: Url,
  replaced: readonly StoredPodcast[],
  known: readonly (readonly PlacedEpisode[])[],
  after: readonly PlacedEpisode[],
): EpisodeBatch {
  const home = replaced.findIndex((podcast) => podcast.url === url);
  const batch = toEpisodeBatch(urlDigest(url), known[home] ?? [], after);
  for (const [at, { address }] of replaced.entries()) {
    if (at === home) continue;
    for (const chunk of new Set(known[at]!.map((episode) => episode.chunk))) {
      batch.delete.push(episodesKey(address.digest, chunk));
    }
  }
  return batch;
}

/** What puts `after` in the place of `before`, both newest first. Chunks in which nothing changed stay as they are. */
function toEpisodeBatch(
  digest: UrlDigest,
  before: readonly PlacedEpisode[],
  after: readonly PlacedEpisode[],
): EpisodeBatch {
  const [old, chunks] = [byChunk(before), byChunk(after)];
  const moving = chunks.get(UNPLACED) ?? [];
  chunks.delete(UNPLACED);
  const changed = new Set([...old.keys()].filter((chunk) => !isSame(old.get(chunk)!, chunks.get(chunk))));
  const place = (chunk: number, episode: PlacedEpisode): void => {
    const placed = { ...episode, chunk };
    const episodes = chunks.get(chunk);
    if (episodes) episodes.push(placed);
    else chunks.set(chunk, [placed]);
    changed.add(chunk);
  };

  for (const chunk of changed) {
    const episodes = chunks.get(chunk) ?? [];
    let size = sizeOf(episodes);
    while (size > LONGEST && episodes.length > 1) {
      const last = episodes.pop()!;
      size -= sizeOf([last]);
      moving.push(last);
    }
  }
  let last = Math.max(0, ...old.keys());
  let size = sizeOf(chunks.get(last) ?? []);
  for (const episode of moving) {
    const more = sizeOf([episode]);
    if (size > 0 && size + more > FULL) {
      last += 1;
      size = 0;
    }
    place(last, episode);
    size += more;
  }

  const batch: EpisodeBatch = { set: [], delete: [], episodes: sortEpisodes([...chunks.values()].flat()) };
  for (const chunk of changed) {
    const episodes = chunks.get(chunk) ?? [];
    if (episodes.length > 0) batch.set.push([episodesKey(digest, chunk), JSON.stringify(episodes.map(toStored))]);
    else batch.delete.push(episodesKey(digest, chunk));
  }
  return batch;
}

/** In the order of the chunks, which is the order in which equal ones stand. */
function byChunk(episodes: readonly PlacedEpisode[]): Map<number, PlacedEpisode[]> {
  const chunks = new Map<number, PlacedEpisode[]>();
  for (const episode of episodes) {
    const chunk = chunks.get(episode.chunk);
    if (chunk) chunk.push(episode);
    else chunks.set(episode.chunk, [episode]);
  }
  return new Map([...chunks].toSorted(([a], [b]) => a - b));
}

const isSame = (a: readonly PlacedEpisode[], b: readonly PlacedEpisode[] = []): boolean =>
  a.length === b.length && a.every((episode, place) => episode === b[place]);

function toStored(placed: PlacedEpisode): StoredEpisode {
  const { chunk: _, ...episode } = placed;
  return episode;
}

const sizeOf = (episodes: readonly PlacedEpisode[]): number => JSON.stringify(episodes).length;
