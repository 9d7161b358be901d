import { isDeepStrictEqual } from 'node:util';
import type { EpisodeInfo, Stamp, Url } from '../../src/plugin.ts';

/** An episode as it is stored. Never changed. */
export interface ShelvedEpisode extends EpisodeInfo {
  stamp: Stamp;
  /** URLs that it had before. */
  formerUrls?: Url[];
}

/** How many of a feed are kept, besides those that somebody acted on. */
export const SHELF_LENGTH = 1000;

/** All names that an episode is known by. */
export const namesOf = ({ guid, url, formerUrls = [] }: ShelvedEpisode): string[] => [
  ...(guid === undefined ? [] : [guid]),
  url,
  ...formerUrls,
];

/** Finds episodes by GUID, else by any URL that they had. */
class KnownEpisodes {
  readonly #byGuid = new Map<string, ShelvedEpisode>();
  readonly #byUrl = new Map<Url, ShelvedEpisode>();

  constructor(episodes: readonly ShelvedEpisode[]) {
    for (const episode of episodes) this.add(episode);
  }

  add(episode: ShelvedEpisode): void {
    if (episode.guid !== undefined) this.#byGuid.set(episode.guid, episode);
    for (const url of [episode.url, ...(episode.formerUrls ?? [])]) this.#byUrl.set(url, episode);
  }

  find({ guid, url }: EpisodeInfo): ShelvedEpisode | undefined {
    return (guid === undefined ? undefined : this.#byGuid.get(guid)) ?? this.#byUrl.get(url);
  }
}

/** The episodes of two feeds that turn out to be one. */
export function unite(one: readonly ShelvedEpisode[], other: readonly ShelvedEpisode[]): ShelvedEpisode[] {
  const known = new KnownEpisodes(one);
  return [...one, ...other.filter((episode) => !known.find(episode))];
}

/** Newest first by release, then by stamp, then as they are. */
export const sortShelf = (episodes: readonly ShelvedEpisode[]): ShelvedEpisode[] =>
  episodes.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0) || b.stamp - a.stamp);

/** What becomes of the episodes of a feed. */
export interface Shelving {
  /** Newest first by release, then by stamp, then as the feed has them. */
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
  const catalogue = new KnownEpisodes(known);
  const told = new Map<ShelvedEpisode, ShelvedEpisode>();
  for (const info of found) {
    const before = catalogue.find(info);
    if (before && told.has(before)) continue; // the feed has it twice
    const episode = before ? renew(before, info) : { ...info, stamp };
    if (!before) catalogue.add(episode);
    told.set(before ?? episode, episode);
  }
  const all = [...told.values(), ...known.filter((episode) => !told.has(episode))];
  const episodes = sortShelf(all).filter((episode, place) => place < SHELF_LENGTH || namesOf(episode).some(isActed));
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
