import type { EpisodeInfo, Stamp, Url } from '../../domain/types.ts';
import { EPISODES_KEPT, FORMER_URLS_KEPT } from './rules.ts';

/** An episode as it is stored. Never changed. */
export interface StoredEpisode extends EpisodeInfo {
  stamp: Stamp;
  /** URLs that it had before. */
  formerUrls?: Url[];
}

/** With the chunk that it is stored in; `UNPLACED` where it is in none yet. */
export interface PlacedEpisode extends StoredEpisode {
  chunk: number;
}
export const UNPLACED = Infinity;

/** Episodes by their names: a URL is of the one that has it, else of the first that had it, else it is a GUID. */
export function byName<Stored extends StoredEpisode>(episodes: readonly Stored[]): Map<string, Stored> {
  const known = new Map<string, Stored>();
  const lastFirst = episodes.toReversed(); // so that the first of several stays
  for (const episode of lastFirst) if (episode.guid !== undefined) known.set(episode.guid, episode);
  for (const episode of lastFirst) for (const url of episode.formerUrls ?? []) known.set(url, episode);
  for (const episode of lastFirst) known.set(episode.url, episode);
  return known;
}

/** Finds episodes by GUID, else by any URL that they had. */
class EpisodeIndex {
  readonly #byGuid = new Map<string, PlacedEpisode>();
  readonly #byUrl = new Map<Url, PlacedEpisode>();

  constructor(episodes: readonly PlacedEpisode[]) {
    const lastFirst = episodes.toReversed(); // so that the first of several stays
    // A URL that went to another episode is found there.
    for (const episode of lastFirst) for (const url of episode.formerUrls ?? []) this.#byUrl.set(url, episode);
    for (const episode of lastFirst) this.#add(episode);
  }

  #add(episode: PlacedEpisode): void {
    if (episode.guid !== undefined) this.#byGuid.set(episode.guid, episode);
    this.#byUrl.set(episode.url, episode);
  }

  /** Puts what a feed says now in the place of what was known before, if anything was. */
  replace(before: PlacedEpisode | undefined, now: PlacedEpisode): void {
    if (before?.guid !== undefined) this.#byGuid.delete(before.guid);
    for (const url of now.formerUrls ?? []) if (this.#byUrl.get(url) === before) this.#byUrl.set(url, now);
    this.#add(now);
  }

  /** `current`: the URL that the feed has for each GUID now. An episode that has moved leaves its old URL to others. */
  find({ guid, url }: EpisodeInfo, current?: ReadonlyMap<string | undefined, Url>): PlacedEpisode | undefined {
    const same = guid === undefined ? undefined : this.#byGuid.get(guid);
    if (same) return same;
    const had = this.#byUrl.get(url);
    return had?.guid === undefined || (current?.get(had.guid) ?? url) === url ? had : undefined;
  }
}

/**
 * The episodes of two feeds that turn out to be one. Those that both have are as the first has them, and as new as in
 * either.
 */
export function mergeEpisodes(one: readonly PlacedEpisode[], other: readonly PlacedEpisode[]): PlacedEpisode[] {
  if (other.length === 0) return [...one];
  const known = new EpisodeIndex(one);
  const merged = new Map(one.map((episode) => [episode, episode]));
  for (const episode of other) {
    const same = known.find(episode);
    if (same) merged.set(same, takeOver(merged.get(same)!, episode));
    else merged.set(episode, episode);
  }
  return [...merged.values()];
}

/**
 * The episodes of a feed that turns out to be the one that tells `there`: what that has too, and what is older than all
 * that it has. Anything else could be put into a feed by whoever leads another to it.
 */
export function sharedEpisodes(
  episodes: readonly PlacedEpisode[],
  there: readonly (EpisodeInfo & Pick<StoredEpisode, 'formerUrls'>)[],
): readonly PlacedEpisode[] {
  if (there.length === 0) return episodes;
  const names = new Set(there.flatMap(namesOf));
  const oldest = there.reduce((time, { releasedAt = Infinity }) => Math.min(time, releasedAt), Infinity);
  return episodes.filter((each) => (each.releasedAt ?? 0) < oldest || namesOf(each).some((name) => names.has(name)));
}

const namesOf = ({ url, guid, formerUrls = [] }: EpisodeInfo & Pick<StoredEpisode, 'formerUrls'>): string[] => [
  url,
  guid ?? url,
  ...formerUrls,
];

function takeOver(episode: PlacedEpisode, { url, formerUrls = [], stamp }: StoredEpisode): PlacedEpisode {
  const urls = [...(episode.formerUrls ?? []), ...formerUrls, url];
  // Apps that have not received it there must not have a mark above it here.
  return { ...episode, ...withFormerUrls(urls, episode.url), stamp: Math.max(episode.stamp, stamp) };
}

/** Newest first by release, then by stamp, then as they are. */
export const sortEpisodes = <Stored extends StoredEpisode>(episodes: readonly Stored[]): Stored[] =>
  episodes.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0) || b.stamp - a.stamp);

/**
 * Brings together what is known of a feed and what was read of it now, newest first by release, then by stamp, then as
 * the feed had them when they were first seen. `stamp` goes to what was never seen. An episode that has not changed is
 * the same object as before.
 */
export function updateEpisodes(
  known: readonly PlacedEpisode[],
  found: readonly EpisodeInfo[],
  stamp: Stamp,
): PlacedEpisode[] {
  const index = new EpisodeIndex(known);
  const done = new Set<PlacedEpisode>();
  const renewed = new Map<PlacedEpisode, PlacedEpisode>();
  const fresh: PlacedEpisode[] = [];
  const urls = new Map(found.map(({ guid, url }) => [guid, url]));
  for (const info of newestOf(found)) {
    const before = index.find(info, urls);
    if (before && done.has(before)) continue; // the feed has it twice
    const episode = before ? renew(before, info) : { ...info, stamp, chunk: UNPLACED };
    index.replace(before, episode);
    done.add(episode);
    if (before) renewed.set(before, episode);
    else fresh.push(episode);
  }
  const all = [...known.map((episode) => renewed.get(episode) ?? episode), ...fresh];
  return keptEpisodes(all);
}

/** Those that are kept, newest first. */
export const keptEpisodes = (episodes: readonly PlacedEpisode[]): PlacedEpisode[] =>
  sortEpisodes(episodes).slice(0, EPISODES_KEPT);

/** The episodes of a reading without those that would be dropped at once, in the order of the feed. */
function newestOf(found: readonly EpisodeInfo[]): readonly EpisodeInfo[] {
  if (found.length <= EPISODES_KEPT) return found;
  const newest = found.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0)).slice(0, EPISODES_KEPT);
  const isNewest = new Set(newest);
  return found.filter((each) => isNewest.has(each));
}

function renew(before: PlacedEpisode, info: EpisodeInfo): PlacedEpisode {
  const { url, formerUrls = [], stamp, chunk } = before;
  if (hasSameInfo(before, info)) return before;
  return { ...info, stamp, ...withFormerUrls([...formerUrls, url], info.url), chunk };
}

const hasSameInfo = (a: EpisodeInfo, b: EpisodeInfo): boolean =>
  a.url === b.url &&
  a.guid === b.guid &&
  a.title === b.title &&
  a.description === b.description &&
  a.website === b.website &&
  a.releasedAt === b.releasedAt &&
  a.duration === b.duration;

function withFormerUrls(urls: readonly Url[], current: Url): Pick<StoredEpisode, 'formerUrls'> {
  const former = [...new Set(urls)].filter((url) => url !== current).slice(-FORMER_URLS_KEPT);
  return former.length > 0 ? { formerUrls: former } : {};
}
