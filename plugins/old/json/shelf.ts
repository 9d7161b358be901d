import { isDeepStrictEqual } from 'node:util';
import type { EpisodeInfo, Stamp, Url } from '../../../src/old-plugin.ts';
import { EPISODES_KEPT } from '../directory-rules.ts';
import { namesOf, worthKeeping } from '../kept-episodes.ts';

/** An episode as it is stored. Never changed. */
export interface ShelvedEpisode extends EpisodeInfo {
  stamp: Stamp;
  /** URLs that it had before. */
  formerUrls?: Url[];
}

/** All names that an episode is or was known by. */
const everyNameOf = (episode: ShelvedEpisode): string[] => [...namesOf(episode), ...(episode.formerUrls ?? [])];

/** Episodes by their names: a URL is of the one that has it, else of the first that had it, else it is a GUID. */
export function byName(episodes: readonly ShelvedEpisode[]): Map<string, ShelvedEpisode> {
  const known = new Map<string, ShelvedEpisode>();
  const lastFirst = episodes.toReversed(); // so that the first of several stays
  for (const episode of lastFirst) if (episode.guid !== undefined) known.set(episode.guid, episode);
  for (const episode of lastFirst) for (const url of episode.formerUrls ?? []) known.set(url, episode);
  for (const episode of lastFirst) known.set(episode.url, episode);
  return known;
}

/** Finds episodes by GUID, else by any URL that they had. */
class KnownEpisodes {
  readonly #byGuid = new Map<string, ShelvedEpisode>();
  readonly #byUrl = new Map<Url, ShelvedEpisode>();

  constructor(episodes: readonly ShelvedEpisode[]) {
    const lastFirst = episodes.toReversed(); // so that the first of several stays
    // A URL that went to another episode is found there.
    for (const episode of lastFirst) for (const url of episode.formerUrls ?? []) this.#byUrl.set(url, episode);
    for (const episode of lastFirst) this.#add(episode);
  }

  #add(episode: ShelvedEpisode): void {
    if (episode.guid !== undefined) this.#byGuid.set(episode.guid, episode);
    this.#byUrl.set(episode.url, episode);
  }

  /** Puts what a feed tells now in the place of what was known before, if anything was. */
  replace(before: ShelvedEpisode | undefined, now: ShelvedEpisode): void {
    if (before?.guid !== undefined) this.#byGuid.delete(before.guid);
    for (const url of now.formerUrls ?? []) if (this.#byUrl.get(url) === before) this.#byUrl.set(url, now);
    this.#add(now);
  }

  /** `told`: the URL that the feed has for each GUID now. An episode that has moved leaves its old URL to others. */
  find({ guid, url }: EpisodeInfo, told?: ReadonlyMap<string | undefined, Url>): ShelvedEpisode | undefined {
    const same = guid === undefined ? undefined : this.#byGuid.get(guid);
    if (same) return same;
    const had = this.#byUrl.get(url);
    return had?.guid === undefined || (told?.get(had.guid) ?? url) === url ? had : undefined;
  }
}

/**
 * The episodes of two feeds that turn out to be one. Those that both have are as the first has them, and as new as in
 * either.
 */
export function unite(one: readonly ShelvedEpisode[], other: readonly ShelvedEpisode[]): ShelvedEpisode[] {
  const known = new KnownEpisodes(one);
  const united = new Map(one.map((episode) => [episode, episode]));
  for (const episode of other) {
    const same = known.find(episode);
    if (same) united.set(same, takeOver(united.get(same)!, episode));
    else united.set(episode, episode);
  }
  return [...united.values()];
}

function takeOver(episode: ShelvedEpisode, { url, formerUrls = [], stamp }: ShelvedEpisode): ShelvedEpisode {
  const urls = [...(episode.formerUrls ?? []), ...formerUrls, url];
  // Whoever was still to be told of it there must not have a mark above it here.
  return renew({ ...episode, formerUrls: urls, stamp: Math.max(episode.stamp, stamp) }, episode);
}

/** Newest first by release, then by stamp, then as they are. */
export const sortShelf = (episodes: readonly ShelvedEpisode[]): ShelvedEpisode[] =>
  episodes.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0) || b.stamp - a.stamp);

/** What becomes of the episodes of a feed. */
interface Shelving {
  /** Newest first by release, then by stamp, then as the feed had them when they were first seen. */
  episodes: ShelvedEpisode[];
  /** Whether anything differs from what was known. */
  isChanged: boolean;
  /** Whether the stamp went to any. */
  isNews: boolean;
}

/** Brings together what is known of a feed and what was read of it now. `stamp` goes to what was never seen. */
export function shelve(
  known: readonly ShelvedEpisode[],
  found: readonly EpisodeInfo[],
  stamp: Stamp,
  isActed: (name: string) => boolean,
): Shelving {
  const index = new KnownEpisodes(known);
  const told = new Set<ShelvedEpisode>();
  const renewed = new Map<ShelvedEpisode, ShelvedEpisode>();
  const fresh: ShelvedEpisode[] = [];
  const urls = new Map(found.map(({ guid, url }) => [guid, url]));
  for (const info of worthKeeping(found, (names) => names.some(isActed))) {
    const before = index.find(info, urls);
    if (before && told.has(before)) continue; // the feed has it twice
    const episode = before ? renew(before, info) : { ...info, stamp };
    index.replace(before, episode);
    told.add(episode);
    if (before) renewed.set(before, episode);
    else fresh.push(episode);
  }
  const all = [...known.map((episode) => renewed.get(episode) ?? episode), ...fresh];
  const episodes = sortShelf(all).filter(
    (episode, place) => place < EPISODES_KEPT || everyNameOf(episode).some(isActed),
  );
  return {
    episodes,
    isChanged: !isDeepStrictEqual(episodes, known),
    isNews: episodes.some((episode) => episode.stamp === stamp),
  };
}

function renew({ url, formerUrls = [], stamp }: ShelvedEpisode, info: EpisodeInfo): ShelvedEpisode {
  const former = [...new Set([...formerUrls, url])].filter((each) => each !== info.url);
  return { ...info, stamp, ...(former.length > 0 && { formerUrls: former }) };
}
