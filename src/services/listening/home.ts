import type { Clock } from '../../clock.ts';
import { dayOf, isFinished } from '../../domain/listening.ts';
import type { Url, UserId } from '../../domain/types.ts';
import type { DeviceSummary, Episode, Storage } from '../../storage/stores.ts';
import { type EpisodeNames, findNames, podcastNames } from '../directory/episode-names.ts';
import { type ActedEpisode, findActedEpisodes } from './acted-episodes.ts';
import type { ActionCache } from './action-cache.ts';
import type { ActionTable, EpisodeState } from './action-table.ts';
import { type ListeningStatistics, listenedByDay } from './statistics.ts';

const DAYS = 30;
const MAX_IN_PROGRESS = 6;
const MAX_NEW = 8;
/** New episodes to choose from, because some may have been played already. */
const CANDIDATES = 3 * MAX_NEW;
/** Started episodes to choose from, because some may have been finished under another URL. */
const MAX_STARTED = 100;

/** Finds the episodes of a podcast that have actions, each podcast once. */
type ReadEpisodes = (podcast: Url) => Promise<ActedEpisode[]>;

/** The content of the home page of an account. */
export interface Overview {
  /** No subscription or action was ever synced; devices may exist. */
  isEmpty: boolean;
  /** Started and not finished, the most recently played first. */
  inProgress: (EpisodeState & EpisodeNames & { podcast: Url })[];
  /** New episodes of the subscriptions, the newest first, without those that were played or deleted. */
  newEpisodes: (Episode & EpisodeNames)[];
  /** Listening time of the last 30 days in UTC, the oldest first. */
  days: ListeningStatistics['periods'];
  devices: DeviceSummary[];
}

export interface Home {
  overview(user: UserId): Promise<Overview>;
}

export function createHome(
  { devices, subscriptions, podcasts }: Pick<Storage, 'devices' | 'subscriptions' | 'podcasts'>,
  actionCache: ActionCache,
  now: Clock,
): Home {
  const findInProgress = async (table: ActionTable, read: ReadEpisodes): Promise<Overview['inProgress']> => {
    const found: EpisodeState[] = [];
    for (const number of table.inProgress(MAX_STARTED)) {
      const episodes = await read(table.referenceOf(number).podcast);
      const state = episodes.find((episode) => episode.state?.number === number)?.state;
      if (state && !isFinished(state.position, state.total ?? 0)) found.push(state);
      if (found.length === MAX_IN_PROGRESS) break;
    }
    const references = found.map(({ number }) => table.referenceOf(number));
    const names = await findNames(podcasts, references);
    return found.map((state, at) => ({ ...state, podcast: references[at]!.podcast, ...names[at]! }));
  };

  const findNew = async (subscribed: readonly Url[], read: ReadEpisodes): Promise<Overview['newEpisodes']> => {
    const fresh: Episode[] = [];
    for (const episode of await podcasts.newestEpisodes(subscribed, CANDIDATES)) {
      const state = (await read(episode.podcast)).find(({ url }) => url === episode.url)?.state;
      if (!state || state.action === 'new') fresh.push(episode);
      if (fresh.length === MAX_NEW) break;
    }
    const known = await podcasts.find(fresh.map(({ podcast }) => podcast));
    return fresh.map((episode, at) => ({ ...episode, ...podcastNames(known[at]) }));
  };

  return {
    async overview(user) {
      const table = await actionCache.read(user);
      const known = new Map<Url, Promise<ActedEpisode[]>>();
      const read: ReadEpisodes = (podcast) => {
        const episodes = known.get(podcast) ?? findActedEpisodes(podcasts, table, podcast);
        known.set(podcast, episodes);
        return episodes;
      };
      const days = listenedByDay(table, DAYS, dayOf(now()));
      const [all, subscribed] = await Promise.all([devices.all(user), subscriptions.current(user)]);
      return {
        isEmpty: table.length === 0 && subscribed.length === 0,
        inProgress: await findInProgress(table, read),
        newEpisodes: await findNew(subscribed, read),
        days,
        devices: all,
      };
    },
  };
}
