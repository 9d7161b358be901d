import { LRUCache } from 'lru-cache';
import { groupBy } from '../../batches.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Seconds } from '../../domain/types.ts';
import type { Batch, Entry, Key, KeyValueStore, Version } from '../contract.ts';
import { under, type UrlDigest } from '../keys.ts';
import { valueOf } from '../values.ts';
import { byName, type ChunkedEpisode, sortEpisodes, type StoredEpisode, toStored } from './episodes.ts';
import { episodesKey, episodesPrefix, partsOf } from './keys.ts';
import type { StoredPodcast } from './podcast.ts';

/** Approximate characters in a cache. */
const MAX_CACHED = 32 * 1024 * 1024;
/** Characters after which a chunk gets no more episodes, so that a new episode rewrites little. */
const FULL_SIZE = 64 * 1024;
/** Characters beyond which the episodes of a chunk are moved to others. */
const MAX_SIZE = 1024 * 1024;
/** More chunks than any podcast has, so that all are read at once. */
const ALL_CHUNKS = 100_000;

/** Entries to store for a change of episodes. */
export interface EpisodeBatch extends Batch {
  /** The episodes after the change. */
  episodes: readonly ChunkedEpisode[];
}

/** Reads and caches episodes, which are stored in chunks in the order first seen. */
export class EpisodeStore {
  readonly #store: KeyValueStore;
  readonly #episodes = createCache<readonly ChunkedEpisode[]>();
  /** A cache of its own: it is small, and each page of a history needs the durations of many podcasts. */
  readonly #durations = createCache<ReadonlyMap<string, Seconds>>();

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Newest first. Never older than the given podcast. */
  async read(podcast: StoredPodcast | undefined): Promise<readonly ChunkedEpisode[]> {
    if (podcast?.newestStamp === undefined) return [];
    const { digest } = podcast.address;
    const known = this.#episodes.get(digest);
    if (known?.version === podcast.version) return known.value;
    const chunks = await this.#store.list({ ...under(episodesPrefix(digest)), limit: ALL_CHUNKS });
    const episodes = sortEpisodes(chunks.flatMap(toEpisodes));
    this.cache(podcast, episodes);
    return episodes;
  }

  /** By every current and former name of an episode. Only episodes whose duration is in the feed. */
  async durations(podcast: StoredPodcast | undefined): Promise<ReadonlyMap<string, Seconds>> {
    if (podcast?.newestStamp === undefined) return new Map();
    const { address, version } = podcast;
    const known = this.#durations.get(address.digest);
    if (known?.version === version) return known.value;
    const durations = new Map<string, Seconds>();
    for (const [name, { duration }] of byName(await this.read(podcast))) {
      if (duration !== undefined) durations.set(name, duration);
    }
    const size = [...durations.keys()].reduce((sum, name) => sum + 50 + name.length, 1);
    this.#durations.set(address.digest, { version, value: durations }, { size });
    return durations;
  }

  /** Puts the episodes of a podcast into the cache. */
  cache({ address, version }: StoredPodcast, episodes: readonly ChunkedEpisode[]): void {
    const size = episodes.reduce((sum, episode) => sum + lengthOf(episode), 1);
    this.#episodes.set(address.digest, { version, value: episodes }, { size });
  }

  /** Keeps cached episodes after a change of the podcast alone. */
  carryOver(before: StoredPodcast, after: StoredPodcast): void {
    for (const cached of [this.#episodes, this.#durations]) {
      const known = cached.get(before.address.digest);
      if (known?.version === before.version) known.version = after.version;
    }
  }
}

/** Values by podcast, valid while it has this version. */
const createCache = <Value extends object>() =>
  new LRUCache<UrlDigest, { version: Version; value: Value }>({ maxSize: MAX_CACHED });

/** Approximate characters of an episode in memory. */
const lengthOf = ({ url, description, website, formerUrls = [] }: StoredEpisode): number =>
  [url, description, website, ...formerUrls].reduce((sum, text) => sum + text.length, 300);

// Not a spread: on Node 20, an object that gets properties after one takes more memory, and is slower to read.
const toEpisodes = (entry: Entry): ChunkedEpisode[] =>
  valueOf<StoredEpisode[]>(entry).map((episode) => Object.assign(episode, { chunk: entry.key }));

/**
 * The batch that replaces the episodes `before`, of one or several podcasts, by `after`, under one URL; both are newest
 * first. Unchanged chunks are not written.
 */
export function replaceEpisodes(
  digest: UrlDigest,
  before: readonly ChunkedEpisode[],
  after: readonly ChunkedEpisode[],
): EpisodeBatch {
  const isOwn = (chunk = ''): boolean => chunk.startsWith(episodesPrefix(digest));
  const old = byChunk(before);
  const chunks = byChunk(after.filter(({ chunk }) => isOwn(chunk)));
  const isChanged = (chunk: Key): boolean => !isSame(old.get(chunk) ?? [], chunks.get(chunk)!);
  const moving = after.filter(({ chunk }) => !isOwn(chunk));
  for (const [chunk, episodes] of chunks) {
    if (!isChanged(chunk) || sizeOf(episodes) <= MAX_SIZE) continue;
    chunks.delete(chunk);
    moving.push(...episodes);
  }
  const numbers = [...old.keys()].filter(isOwn).map((chunk) => Number(partsOf(chunk)[1]));
  let last = Math.max(0, ...numbers);
  let size = sizeOf(chunks.get(episodesKey(digest, last)) ?? []);
  for (const episode of moving) {
    const more = sizeOf([episode]);
    if (size + more > FULL_SIZE) [last, size] = [last + 1, 0];
    const chunk = episodesKey(digest, last);
    chunks.set(chunk, [...(chunks.get(chunk) ?? []), { ...episode, chunk }]);
    size += more;
  }
  const changed = [...chunks].filter(([chunk]) => isChanged(chunk));
  return {
    set: changed.map(([chunk, episodes]) => [chunk, JSON.stringify(episodes.map(toStored))]),
    delete: [...old.keys()].filter((chunk) => !chunks.has(chunk)),
    episodes: sortEpisodes([...chunks.values()].flat()),
  };
}

/** Sorted by chunk, which is also the order of episodes of the same time. */
const byChunk = (episodes: readonly ChunkedEpisode[]): Map<Key, ChunkedEpisode[]> =>
  groupBy(
    episodes.toSorted((a, b) => compareText(a.chunk!, b.chunk!)),
    ({ chunk }) => chunk!,
  );

const isSame = (a: readonly ChunkedEpisode[], b: readonly ChunkedEpisode[]): boolean =>
  a.length === b.length && a.every((episode, place) => episode === b[place]);

const sizeOf = (episodes: readonly ChunkedEpisode[]): number => JSON.stringify(episodes).length;
