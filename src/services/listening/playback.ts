import type { Clock } from '../../clock.ts';
import { WEB_DEVICE } from '../../domain/device.ts';
import { invalid } from '../../domain/errors.ts';
import type { EpisodeAction, Seconds, Url, UserId } from '../../domain/types.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl, type UrlRules } from '../../domain/url.ts';
import type { Episode, Storage } from '../../storage/stores.ts';
import type { EpisodeState } from './action-table.ts';
import type { Episodes } from '../sync/episodes.ts';
import type { ActionCache } from './action-cache.ts';
import type { Settings } from '../sync/settings.ts';
import { registerWebDevice } from '../sync/web-device.ts';

/** The length of an episode that neither an app nor its feed gives, and of which nothing was played. */
const SOME_LENGTH: Seconds = 1;

/** An episode as a page or a form names it, by any URL that it and its podcast had. */
export interface NamedEpisode {
  podcast: string;
  url: string;
}

/** What an account did with an episode. */
export interface OwnEpisode {
  state?: EpisodeState;
  isFavorite: boolean;
}

/** The times of a play, in seconds; the length where the player knows it. */
export interface PlayTimes {
  started: Seconds;
  position: Seconds;
  total: Seconds | undefined;
}

/**
 * How far an account has played the episodes of a podcast, and what it does with them on the website. That is uploaded
 * as actions of the device `web`, under the URLs by which the apps of the account know the episode, so that they receive
 * it. All throw `invalid` for an episode without usable URLs.
 */
export interface Playback {
  /** Those that the account did something with, by the URL that the directory has for each, else the account. */
  episodes(user: UserId, podcast: Url): Promise<ReadonlyMap<Url, OwnEpisode>>;
  /** One of them, and the actions on it, the newest first, at most `limit`. */
  episode(user: UserId, episode: NamedEpisode, limit: number): Promise<{ own: OwnEpisode; history: EpisodeAction[] }>;
  /** A part of it was played in the browser. */
  play(user: UserId, episode: NamedEpisode, times: PlayTimes): Promise<void>;
  /**
   * Uploads a play that begins and stops at the end: apps take it as played, and it counts as no listening time. Where
   * nobody knows the length, the end is where the last play stopped.
   */
  markPlayed(user: UserId, episode: NamedEpisode): Promise<void>;
  markNew(user: UserId, episode: NamedEpisode): Promise<void>;
  /** Sets or removes the setting `is_favorite` (spec 2.9). */
  setFavorite(user: UserId, episode: NamedEpisode, isFavorite: boolean): Promise<void>;
}

type Parts = Pick<Storage, 'devices' | 'podcasts' | 'subscriptions'> & {
  actionCache: ActionCache;
  episodes: Pick<Episodes, 'upload'>;
  settings: Pick<Settings, 'favorites' | 'update'>;
};

/** An episode under one pair of URLs. */
interface Reference {
  podcast: Url;
  episode: Url;
}

interface KnownEpisode extends OwnEpisode {
  /** Numbers in the action table. */
  numbers: Set<number>;
  /** As the action names it that `state` is of, else as any does. */
  acted?: Reference;
  /** What is marked as a favorite. */
  marked: Reference[];
}

const createKnown = (): KnownEpisode => ({ isFavorite: false, numbers: new Set(), marked: [] });

export function createPlayback(
  { devices, podcasts, subscriptions, actionCache, episodes, settings }: Parts,
  now: Clock,
  rules: UrlRules,
): Playback {
  /** All that the account has of a podcast, under any of its addresses. */
  const read = async (user: UserId, podcast: Url, addresses: readonly Url[]): Promise<Map<Url, KnownEpisode>> => {
    const favorites = (await settings.favorites(user)).filter((each) => addresses.includes(each.podcast));
    const table = await actionCache.read(user);
    const acted = addresses.flatMap((address) =>
      Array.from(table.episodesOf(address), ([episode, number]) => ({
        podcast: address,
        episode,
        number,
        state: table.stateOf(number),
      })),
    );
    const references = [...acted, ...favorites];
    const found = await podcasts.findEpisodes(
      podcast,
      references.map(({ episode }) => episode),
    );
    const known = new Map<Url, KnownEpisode>();
    const at = (index: number): KnownEpisode => {
      const url = found[index]?.url ?? references[index]!.episode;
      const episode = known.get(url) ?? createKnown();
      known.set(url, episode);
      return episode;
    };
    for (const [index, { number, state, ...reference }] of acted.entries()) {
      const episode = at(index);
      episode.numbers.add(number);
      const isNewer = state !== undefined && state.at >= (episode.state?.at ?? 0);
      if (isNewer) episode.state = state;
      if (isNewer || !episode.acted) episode.acted = reference;
    }
    for (const [index, reference] of favorites.entries()) {
      const episode = at(acted.length + index);
      episode.isFavorite = true;
      episode.marked.push(reference);
    }
    return known;
  };

  const addressesOf = async (podcast: Url): Promise<Url[]> => [podcast, ...(await podcasts.formerUrls(podcast))];

  /** An episode, what the account has of it, and the URLs by which its apps know it. */
  const find = async (
    user: UserId,
    named: NamedEpisode,
  ): Promise<{ own: KnownEpisode; episode?: Episode; reference: Reference }> => {
    const feed = sanitizeFeedUrl(named.podcast, rules);
    const name = sanitizeMediaUrl(named.url) || named.url; // version 1 may name an episode by its GUID
    if (feed === '' || name === '') throw invalid('the episode must be named by "podcast" and "url"');
    const podcast = (await podcasts.find([feed]))[0]?.url ?? feed;
    const [episode] = await podcasts.findEpisodes(podcast, [name]);
    const addresses = await addressesOf(podcast);
    const own = (await read(user, podcast, addresses)).get(episode?.url ?? name) ?? createKnown();
    const subscribed = own.acted ? [] : await subscriptions.current(user);
    const reference = own.acted ?? {
      podcast: subscribed.find((url) => addresses.includes(url)) ?? feed,
      episode: episode?.url ?? name,
    };
    return { own, ...(episode && { episode }), reference };
  };

  const upload = async (
    user: UserId,
    { own, episode, reference }: Awaited<ReturnType<typeof find>>,
    action: Pick<EpisodeAction, 'action'> & Partial<PlayTimes>,
  ): Promise<void> => {
    await registerWebDevice(devices, user);
    // The newest action counts, also where the clock of an app is ahead, or two come within one second.
    const timestamp = Math.max(now(), (own.state?.at ?? 0) + 1);
    const guid = episode?.guid ?? (sanitizeMediaUrl(reference.episode) === '' ? reference.episode : undefined);
    const from = { ...reference, guid, device: WEB_DEVICE.id, timestamp };
    // The devices of the account have yet to hear of it, one that is called like the browser as well: see `Sender`.
    await episodes.upload(user, [{ ...from, ...action }], 'server');
  };

  return {
    episodes: async (user, podcast) => read(user, podcast, await addressesOf(podcast)),

    async episode(user, named, limit) {
      const { own } = await find(user, named);
      const table = await actionCache.read(user);
      const history: EpisodeAction[] = [];
      if (own.numbers.size === 0) return { own, history };
      for (const row of table.before()) {
        if (own.numbers.has(table.episodeOf(row))) history.push(table.actionAt(row));
        if (history.length === limit) break;
      }
      return { own, history };
    },

    async play(user, named, { started, position, total }) {
      const times = total === undefined ? { position } : { started, position, total };
      await upload(user, await find(user, named), { action: 'play', ...times });
    },

    async markPlayed(user, named) {
      const found = await find(user, named);
      const { total, position = 0 } = found.own.state ?? {};
      const end = total ?? found.episode?.duration ?? (position || SOME_LENGTH);
      await upload(user, found, { action: 'play', started: end, position: end, total: end });
    },

    markNew: async (user, named) => upload(user, await find(user, named), { action: 'new' }),

    async setFavorite(user, named, isFavorite) {
      const { own, reference } = await find(user, named);
      if (isFavorite === own.isFavorite) return;
      const change = isFavorite ? { set: { is_favorite: true }, remove: [] } : { set: {}, remove: ['is_favorite'] };
      for (const scope of isFavorite ? [reference] : own.marked) {
        await settings.update(user, { scope: 'episode', device: undefined, ...scope }, change);
      }
    },
  };
}
