import { LRUCache } from 'lru-cache';
import type { Seconds, Url } from '../../domain/types.ts';
import type { Entry, Key, KeyValueStore, Value, Version } from '../contract.ts';
import { episodesKey, under, type UrlDigest, urlDigest } from '../keys.ts';
import type { StoredPodcast } from './podcast.ts';
import { parse } from './documents.ts';
import { byName, type ChunkedEpisode, sortEpisodes, type StoredEpisode, NO_CHUNK } from './episodes.ts';

/** Characters of episodes in the cache. */
const MAX_CACHED_SIZE = 32 * 1024 * 1024;
/** Episode names in the cache of durations. */
const MAX_CACHED_DURATIONS = 200_000;
/** Characters after which a chunk gets no more episodes, so that a new episode rewrites little. */
const FULL_SIZE = 64 * 1024;
/** Characters beyond which the last episodes of a chunk are moved to another one. */
const MAX_SIZE = 1024 * 1024;
/** More chunks than any podcast has, so that all are read at once. */
const ALL_CHUNKS = 100_000;

/** Entries to store for a change of episodes. */
export interface EpisodeBatch {
  set: [Key, Value][];
  delete: Key[];
  /** The episodes after the change. */
  episodes: readonly ChunkedEpisode[];
}

/** Reads and caches episodes, which are stored in chunks in the order first seen. */
export class EpisodeStore {
  readonly #store: KeyValueStore;
  readonly #episodes = new LRUCache<UrlDigest, { version: Version; episodes: readonly ChunkedEpisode[]; size: number }>(
    {
      maxSize: MAX_CACHED_SIZE,
      sizeCalculation: ({ size }) => size,
    },
  );

  /** A cache of its own: it is small, and each page of a history needs the durations of many podcasts. */
  readonly #durations = new LRUCache<UrlDigest, { version: Version; byName: ReadonlyMap<string, Seconds> }>({
    maxSize: MAX_CACHED_DURATIONS,
    sizeCalculation: ({ byName: { size } }) => size + 1,
  });

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Newest first. Never older than the given podcast. */
  async read(podcast: StoredPodcast | undefined): Promise<readonly ChunkedEpisode[]> {
    if (podcast?.newestEpisode === undefined) return [];
    const { digest } = podcast.address;
    const known = this.#episodes.get(digest);
    if (known?.version === podcast.version) return known.episodes;
    const chunks = await this.#store.list({ ...under(`e/${digest}/`), limit: ALL_CHUNKS });
    const episodes = sortEpisodes(chunks.flatMap(toEpisodes));
    this.cache(podcast, episodes);
    return episodes;
  }

  /** By every current and former name of an episode. Only episodes whose duration is in the feed. */
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

  /** Puts the episodes of a podcast into the cache. */
  cache({ address, version }: Pick<StoredPodcast, 'address' | 'version'>, episodes: readonly ChunkedEpisode[]): void {
    const size = episodes.reduce((sum, { description }) => sum + 500 + description.length, 1);
    this.#episodes.set(address.digest, { version, episodes, size });
  }

  /** Keeps cached episodes after a change of the podcast alone. */
  carryOver(before: StoredPodcast, after: StoredPodcast): void {
    for (const cached of [this.#episodes, this.#durations]) {
      const known = cached.get(before.address.digest);
      if (known?.version === before.version) known.version = after.version;
    }
  }

  clear(): void {
    this.#episodes.clear();
    this.#durations.clear();
  }
}

function toEpisodes({ key, value }: Entry): ChunkedEpisode[] {
  const chunk = Number(key.slice(key.lastIndexOf('/') + 1));
  return parse<StoredEpisode[]>(value).map((episode) => ({ ...episode, chunk }));
}

/** The batch for the episodes of a podcast that replaces others; `known` has the episodes of each replaced podcast. */
export function replaceEpisodes(
  url: Url,
  replaced: readonly StoredPodcast[],
  known: readonly (readonly ChunkedEpisode[])[],
  after: readonly ChunkedEpisode[],
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

/** The batch that replaces `before` by `after`, both newest first. Unchanged chunks are not written. */
function toEpisodeBatch(
  digest: UrlDigest,
  before: readonly ChunkedEpisode[],
  after: readonly ChunkedEpisode[],
): EpisodeBatch {
  const [old, chunks] = [byChunk(before), byChunk(after)];
  const moving = chunks.get(NO_CHUNK) ?? [];
  chunks.delete(NO_CHUNK);
  const changed = new Set([...old.keys()].filter((chunk) => !isSame(old.get(chunk)!, chunks.get(chunk))));
  const place = (chunk: number, episode: ChunkedEpisode): void => {
    const placed = { ...episode, chunk };
    const episodes = chunks.get(chunk);
    if (episodes) episodes.push(placed);
    else chunks.set(chunk, [placed]);
    changed.add(chunk);
  };

  for (const chunk of changed) {
    const episodes = chunks.get(chunk) ?? [];
    let size = sizeOf(episodes);
    while (size > MAX_SIZE && episodes.length > 1) {
      const last = episodes.pop()!;
      size -= sizeOf([last]);
      moving.push(last);
    }
  }
  let last = Math.max(0, ...old.keys());
  let size = sizeOf(chunks.get(last) ?? []);
  for (const episode of moving) {
    const more = sizeOf([episode]);
    if (size > 0 && size + more > FULL_SIZE) {
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

/** Sorted by chunk, which is also the order of episodes of the same time. */
function byChunk(episodes: readonly ChunkedEpisode[]): Map<number, ChunkedEpisode[]> {
  const chunks = new Map<number, ChunkedEpisode[]>();
  for (const episode of episodes) {
    const chunk = chunks.get(episode.chunk);
    if (chunk) chunk.push(episode);
    else chunks.set(episode.chunk, [episode]);
  }
  return new Map([...chunks].toSorted(([a], [b]) => a - b));
}

const isSame = (a: readonly ChunkedEpisode[], b: readonly ChunkedEpisode[] = []): boolean =>
  a.length === b.length && a.every((episode, place) => episode === b[place]);

function toStored(placed: ChunkedEpisode): StoredEpisode {
  const { chunk: _, ...episode } = placed;
  return episode;
}

const sizeOf = (episodes: readonly ChunkedEpisode[]): number => JSON.stringify(episodes).length;
