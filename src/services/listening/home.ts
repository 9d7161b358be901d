import { groupBy } from '../../batches.ts';
import type { Clock } from '../../clock.ts';
import { dayOf } from '../../domain/listening.ts';
import type { Url, UserId } from '../../domain/types.ts';
import type { DeviceSummary, Episode, Storage } from '../../storage/stores.ts';
import { type EpisodeNames, findNames, podcastNames } from '../directory/episode-names.ts';
import { resolvePodcasts } from '../directory/resolve-podcasts.ts';
import type { ActionCache } from './action-cache.ts';
import type { ActionTable, EpisodeInProgress } from './action-table.ts';
import { type ListeningStatistics, listenedByDay } from './statistics.ts';

const DAYS = 30;
const MAX_IN_PROGRESS = 6;
const MAX_NEW = 8;
/** New episodes to choose from, because some may have been played already. */
const CANDIDATES = 3 * MAX_NEW;

/** The content of the home page of an account. */
export interface Overview {
  /** No subscription or action was ever synced; devices may exist. */
  isEmpty: boolean;
  /** Started and not finished, the most recently played first. */
  inProgress: (EpisodeInProgress & EpisodeNames)[];
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
  const newEpisodes = async (table: ActionTable, subscribed: readonly Url[]): Promise<Overview['newEpisodes']> => {
    const newest = await podcasts.newestEpisodes(subscribed, CANDIDATES);
    // An app may know the podcast under a former address, and the episode under a former one or its GUID.
    const resolved = await resolvePodcasts(podcasts, subscribed);
    const addresses = groupBy(subscribed, resolved.currentUrl);
    const isPlayedOrDeleted = ({ podcast, url, guid = url, formerUrls = [] }: Episode): boolean =>
      [podcast, ...(addresses.get(podcast) ?? [])].some((address) =>
        [url, guid, ...formerUrls].some((name) => table.isPlayedOrDeleted(address, name)),
      );
    const byUrl = new Map(subscribed.map((url) => [resolved.currentUrl(url), resolved.get(url)]));
    const fresh = newest.filter((episode) => !isPlayedOrDeleted(episode)).slice(0, MAX_NEW);
    return fresh.map((episode) => ({ ...episode, ...podcastNames(byUrl.get(episode.podcast)) }));
  };

  return {
    async overview(user) {
      const table = await actionCache.read(user);
      const inProgress = table.inProgress(MAX_IN_PROGRESS);
      const days = listenedByDay(table, DAYS, dayOf(now()));
      const [all, subscribed] = await Promise.all([devices.all(user), subscriptions.current(user)]);
      const named = inProgress.map(({ podcast, url }) => ({ podcast, episode: url }));
      const [names, fresh] = await Promise.all([findNames(podcasts, named), newEpisodes(table, subscribed)]);
      return {
        isEmpty: table.length === 0 && subscribed.length === 0,
        inProgress: inProgress.map((episode, at) => ({ ...episode, ...names[at]! })),
        newEpisodes: fresh,
        days,
        devices: all,
      };
    },
  };
}
