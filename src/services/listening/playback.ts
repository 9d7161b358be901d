import type { Clock } from '../../clock.ts';
import { WEB_DEVICE } from '../../domain/device.ts';
import { invalid } from '../../domain/errors.ts';
import type { EpisodeAction, Seconds, Url, UserId } from '../../domain/types.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl, type UrlRules } from '../../domain/url.ts';
import type { Episode, Storage } from '../../storage/stores.ts';
import type { EpisodeReference } from '../directory/episode-names.ts';
import { registerWebDevice } from '../sync/devices.ts';
import type { Episodes } from '../sync/episodes.ts';
import type { Settings } from '../sync/settings.ts';
import { type ActedEpisode, findActedEpisodes } from './acted-episodes.ts';
import type { ActionCache } from './action-cache.ts';
import type { EpisodeState } from './action-table.ts';

/** The assumed length of an unplayed episode whose length neither an app nor its feed gives. */
const UNKNOWN_LENGTH: Seconds = 1;

/** An episode in a page or form, by any current or former URL of it and its podcast. */
export interface NamedEpisode {
  podcast: string;
  url: string;
}

/** The state of an episode in an account. */
export interface OwnEpisode {
  state?: EpisodeState;
  isFavorite: boolean;
}

/** The times of a play in seconds; `total` is undefined if the player does not know the length. */
interface PlayTimes {
  started: Seconds;
  position: Seconds;
  total: Seconds | undefined;
}

/**
 * How far an account has played the episodes of a podcast, and what the user does with them on the website. This is
 * uploaded as actions of the device `web`, under the URLs that the account's apps use for the episode, so that they
 * receive it. All methods throw `invalid` for an episode without usable URLs.
 */
export interface Playback {
  /** Episodes with actions or favorites, by their URL in the directory, otherwise that of the account. */
  episodes(user: UserId, podcast: Url): Promise<ReadonlyMap<Url, OwnEpisode>>;
  /** Episodes with the setting `is_favorite` true (spec 2.9), by podcast, with the GUIDs that actions have for them. */
  favorites(user: UserId): Promise<EpisodeReference[]>;
  /** One episode, and its newest actions, at most `limit`, the newest first. */
  episode(user: UserId, episode: NamedEpisode, limit: number): Promise<{ own: OwnEpisode; history: EpisodeAction[] }>;
  /** Records a part that was played in the browser, `age` seconds ago if it arrives late. */
  play(user: UserId, episode: NamedEpisode, times: PlayTimes, age?: Seconds): Promise<void>;
  /**
   * Uploads a play that starts and stops at the end: apps treat it as played, and it adds no listening time. If the length
   * is unknown, the end is where the last play stopped.
   */
  markPlayed(user: UserId, episode: NamedEpisode): Promise<void>;
  markNew(user: UserId, episode: NamedEpisode): Promise<void>;
  /** Sets or removes the setting `is_favorite` (spec 2.9). */
  setFavorite(user: UserId, episode: NamedEpisode, isFavorite: boolean): Promise<void>;
}

type Dependencies = Pick<Storage, 'devices' | 'podcasts' | 'subscriptions'> & {
  actionCache: ActionCache;
  episodes: Pick<Episodes, 'upload'>;
  settings: Pick<Settings, 'favorites' | 'update'>;
};

interface TrackedEpisode extends OwnEpisode, Partial<ActedEpisode> {
  state?: EpisodeState;
  /** The URLs that are marked as favorites. */
  marked: EpisodeReference[];
}

const newEpisode = (): TrackedEpisode => ({ isFavorite: false, marked: [] });

export function createPlayback(
  { devices, podcasts, subscriptions, actionCache, episodes, settings }: Dependencies,
  now: Clock,
  rules: UrlRules,
): Playback {
  const favorites = async (user: UserId): Promise<EpisodeReference[]> => {
    const marked = await settings.favorites(user);
    const table = await actionCache.read(user);
    return marked.map((each) => ({ ...each, guid: table.guidOf(each.podcast, each.episode) }));
  };

  /** All episodes of a podcast in the account, under any of its addresses. */
  const read = async (user: UserId, podcast: Url, addresses: ReadonlySet<Url>): Promise<Map<Url, TrackedEpisode>> => {
    const marked = (await favorites(user)).filter((each) => addresses.has(each.podcast));
    const known = await podcasts.findEpisodes(podcast, marked);
    const acted = await findActedEpisodes(podcasts, await actionCache.read(user), podcast);
    const episodes = new Map(acted.map((each): [Url, TrackedEpisode] => [each.url, { ...newEpisode(), ...each }]));
    for (const [at, reference] of marked.entries()) {
      const url = known[at]?.url ?? reference.episode;
      const episode = episodes.get(url) ?? newEpisode();
      episode.isFavorite = true;
      episode.marked.push(reference);
      episodes.set(url, episode);
    }
    return episodes;
  };

  /** An episode, its state in the account, and the URLs that the account's apps use for it. */
  const find = async (
    user: UserId,
    named: NamedEpisode,
  ): Promise<{ own: TrackedEpisode; episode?: Episode; reference: EpisodeReference }> => {
    const podcast = sanitizeFeedUrl(named.podcast, rules);
    const media = sanitizeMediaUrl(named.url);
    const name = media || named.url; // version 1 may name an episode by its GUID
    if (podcast === '' || name === '') throw invalid('"podcast" and "url" must name the episode');
    const [episode] = await podcasts.findEpisodes(podcast, [{ episode: name }]);
    const addresses = await podcasts.allUrls(podcast);
    const own = (await read(user, podcast, addresses)).get(episode?.url ?? name) ?? newEpisode();
    const subscribed = own.reference ? [] : await subscriptions.current(user);
    const reference = own.reference ?? {
      podcast: subscribed.find((url) => addresses.has(url)) ?? podcast,
      episode: episode?.url ?? name,
      guid: media === '' ? name : undefined,
    };
    return { own, ...(episode && { episode }), reference };
  };

  const upload = async (
    user: UserId,
    { own, episode, reference }: Awaited<ReturnType<typeof find>>,
    action: Pick<EpisodeAction, 'action'> & Partial<PlayTimes>,
    age = 0,
  ): Promise<void> => {
    await registerWebDevice(devices, user);
    // It must be the newest action, even if the clock of an app is fast or two actions fall into the same second; unless it
    // arrives late: an app may have played the episode since.
    const timestamp = age > 0 ? Math.max(0, now() - age) : Math.max(now(), (own.state?.at ?? 0) + 1);
    const from = { ...reference, guid: episode?.guid ?? reference.guid, device: WEB_DEVICE.id, timestamp };
    // All devices must receive it, even one with the id of the browser: see `Uploader`.
    await episodes.upload(user, [{ ...from, ...action }], 'server');
  };

  return {
    episodes: async (user, podcast) => read(user, podcast, await podcasts.allUrls(podcast)),

    favorites,

    async episode(user, named, limit) {
      const { own } = await find(user, named);
      const table = await actionCache.read(user);
      const history: EpisodeAction[] = [];
      const numbers = new Set(own.numbers);
      for (const row of table.rows().toReversed()) {
        if (numbers.has(table.episodeOf(row))) history.push(table.actionAt(row));
        if (history.length === limit) break;
      }
      return { own, history };
    },

    async play(user, named, { started, position, total }, age) {
      const times = total === undefined ? { position } : { started, position, total };
      await upload(user, await find(user, named), { action: 'play', ...times }, age);
    },

    async markPlayed(user, named) {
      const found = await find(user, named);
      const { total, position = 0 } = found.own.state ?? {};
      const end = total ?? found.episode?.duration ?? (position || UNKNOWN_LENGTH);
      await upload(user, found, { action: 'play', started: end, position: end, total: end });
    },

    markNew: async (user, named) => upload(user, await find(user, named), { action: 'new' }),

    async setFavorite(user, named, isFavorite) {
      const { own, episode, reference } = await find(user, named);
      if (isFavorite === own.isFavorite) return;
      // A setting needs a URL, which an action of version 1 may not have.
      const url = sanitizeMediaUrl(reference.episode) || episode?.url;
      const change = isFavorite ? { set: { is_favorite: true }, remove: [] } : { set: {}, remove: ['is_favorite'] };
      for (const scope of isFavorite ? [{ ...reference, episode: url }] : own.marked) {
        await settings.update(user, { scope: 'episode', ...scope }, change);
      }
    },
  };
}
