import { isDeepStrictEqual } from 'node:util';
import type { EpisodeInfo, Stamp, Url } from '../../domain/types.ts';
import type { Key } from '../contract.ts';
import type { Episode, NewestEpisode } from '../stores.ts';

/** Episodes per feed: the newest by release are kept. */
const MAX_EPISODES = 5000;
/** Former URLs per episode, and their length: the latest are kept. Some feeds change all their URLs at each fetch. */
const MAX_FORMER_URLS = 50;
const MAX_FORMER_LENGTH = 10_000;

/** A stored episode. Immutable. */
export type StoredEpisode = Omit<Episode, 'podcast'>;

/** With the key of its chunk; undefined if it has none yet. */
export interface ChunkedEpisode extends StoredEpisode {
  chunk?: Key;
}

export function toStored(chunked: ChunkedEpisode): StoredEpisode {
  const { chunk: _, ...episode } = chunked;
  return episode;
}

/** What podcasts show of their newest episode. */
export const toNewest = ({ title, releasedAt }: StoredEpisode): NewestEpisode => ({ title, releasedAt });

/** Episodes by name. A name is looked up as a current URL first, then as a former URL, then as a GUID. */
export function byName<Stored extends StoredEpisode>(episodes: readonly Stored[]): Map<string, Stored> {
  const known = new Map<string, Stored>();
  const reversed = episodes.toReversed(); // so that the first of several stays
  for (const episode of reversed) if (episode.guid !== undefined) known.set(episode.guid, episode);
  for (const episode of reversed) for (const url of episode.formerUrls ?? []) known.set(url, episode);
  for (const episode of reversed) known.set(episode.url, episode);
  return known;
}

/** Finds episodes by GUID, else by current or former URL. */
class EpisodeIndex {
  readonly #byGuid = new Map<string, ChunkedEpisode>();
  readonly #byUrl = new Map<Url, ChunkedEpisode>();

  constructor(episodes: readonly ChunkedEpisode[]) {
    const reversed = episodes.toReversed(); // so that the first of several stays
    // The current URL of an episode wins over the former URL of another one.
    for (const episode of reversed) for (const url of episode.formerUrls ?? []) this.#byUrl.set(url, episode);
    for (const episode of reversed) this.#add(episode);
  }

  #add(episode: ChunkedEpisode): void {
    if (episode.guid !== undefined) this.#byGuid.set(episode.guid, episode);
    this.#byUrl.set(episode.url, episode);
  }

  /** Replaces an episode, if it is known, by the one that the feed has now. */
  replace(before: ChunkedEpisode | undefined, now: ChunkedEpisode): void {
    if (before?.guid !== undefined) this.#byGuid.delete(before.guid);
    for (const url of now.formerUrls ?? []) if (this.#byUrl.get(url) === before) this.#byUrl.set(url, now);
    this.#add(now);
  }

  /** `current`: the URL of each GUID in the feed now. An episode that has moved gives up its old URL. */
  find({ guid, url }: EpisodeInfo, current?: ReadonlyMap<string | undefined, Url>): ChunkedEpisode | undefined {
    const same = guid === undefined ? undefined : this.#byGuid.get(guid);
    if (same) return same;
    const had = this.#byUrl.get(url);
    return had?.guid === undefined || (current?.get(had.guid) ?? url) === url ? had : undefined;
  }
}

/**
 * Merges the episodes of two feeds that are the same podcast. For an episode in both, the first feed's data and the
 * newer stamp are kept.
 */
export function mergeEpisodes(one: readonly ChunkedEpisode[], other: readonly ChunkedEpisode[]): ChunkedEpisode[] {
  if (other.length === 0) return [...one];
  const known = new EpisodeIndex(one);
  const merged = new Map(one.map((episode) => [episode, episode]));
  for (const episode of other) {
    const same = known.find(episode);
    if (same) merged.set(same, mergeEpisode(merged.get(same)!, episode));
    else merged.set(episode, episode);
  }
  return [...merged.values()];
}

/**
 * The episodes of a feed that may move to another one, whose episodes are `there`: those in both feeds, and those that
 * are certainly older than all of the other feed. Otherwise anyone could add episodes to a feed by redirecting to it.
 * If a private feed `becomesPublic`, only those in both.
 */
export function sharedEpisodes(
  episodes: readonly ChunkedEpisode[],
  there: readonly (EpisodeInfo & Pick<StoredEpisode, 'formerUrls'>)[],
  { becomesPublic }: { becomesPublic: boolean },
): readonly ChunkedEpisode[] {
  const names = new Set(there.flatMap(namesOf));
  const oldest = there.reduce((time, { releasedAt = 0 }) => Math.min(time, releasedAt), Infinity);
  const isOlder = ({ releasedAt = Infinity }: EpisodeInfo): boolean => releasedAt < oldest || there.length === 0;
  return episodes.filter((each) => (!becomesPublic && isOlder(each)) || namesOf(each).some((name) => names.has(name)));
}

const namesOf = ({ url, guid, formerUrls = [] }: EpisodeInfo & Pick<StoredEpisode, 'formerUrls'>): string[] => [
  url,
  guid ?? url,
  ...formerUrls,
];

function mergeEpisode(episode: ChunkedEpisode, { url, formerUrls = [], stamp }: StoredEpisode): ChunkedEpisode {
  const urls = [...(episode.formerUrls ?? []), ...formerUrls, url];
  // The newer stamp, so that apps which have not received the episode yet still do.
  return { ...episode, ...withFormerUrls(urls, episode.url), stamp: Math.max(episode.stamp, stamp) };
}

/** Newest first by release, then by stamp, then as they are. */
export const sortEpisodes = <Stored extends StoredEpisode>(episodes: readonly Stored[]): Stored[] =>
  episodes.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0) || b.stamp - a.stamp);

/**
 * Merges the stored episodes of a feed with those just fetched: newest first by release, then by stamp, then in the
 * order of the feed when first seen. New episodes get `stamp`. An unchanged episode stays the same object.
 */
export function updateEpisodes(
  known: readonly ChunkedEpisode[],
  found: readonly EpisodeInfo[],
  stamp: Stamp,
): ChunkedEpisode[] {
  const index = new EpisodeIndex(known);
  const done = new Set<ChunkedEpisode>();
  /** The known episodes, then the new ones, as they are after the change. */
  const after = new Map(known.map((episode) => [episode, episode]));
  const urls = new Map(found.map(({ guid, url }) => [guid, url]));
  for (const info of newestInFeed(found)) {
    const before = index.find(info, urls);
    if (before && done.has(before)) continue; // it is in the feed twice
    const episode = before ? renew(before, info) : { ...info, stamp };
    index.replace(before, episode);
    done.add(episode);
    after.set(before ?? episode, episode);
  }
  return newestEpisodes([...after.values()]);
}

/** The newest `MAX_EPISODES`, newest first. */
export const newestEpisodes = (episodes: readonly ChunkedEpisode[]): ChunkedEpisode[] =>
  sortEpisodes(episodes).slice(0, MAX_EPISODES);

/** The newest `MAX_EPISODES` of a feed, in the order of the feed. */
function newestInFeed(found: readonly EpisodeInfo[]): readonly EpisodeInfo[] {
  if (found.length <= MAX_EPISODES) return found;
  const newest = found.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0)).slice(0, MAX_EPISODES);
  const isNewest = new Set(newest);
  return found.filter((each) => isNewest.has(each));
}

function renew(before: ChunkedEpisode, info: EpisodeInfo): ChunkedEpisode {
  const { stamp, formerUrls = [], chunk, ...known } = before;
  if (isDeepStrictEqual(known, info)) return before;
  return { ...info, stamp, ...withFormerUrls([...formerUrls, known.url], info.url), ...(chunk && { chunk }) };
}

function withFormerUrls(urls: readonly Url[], current: Url): Pick<StoredEpisode, 'formerUrls'> {
  const latest = [...new Set(urls)].filter((url) => url !== current).slice(-MAX_FORMER_URLS);
  let length = 0;
  const former = latest.slice(latest.findLastIndex((url) => (length += url.length) > MAX_FORMER_LENGTH) + 1);
  return former.length > 0 ? { formerUrls: former } : {};
}
