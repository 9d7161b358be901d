import { formatTimestamp } from '../domain/timestamp.ts';
import type { Seconds } from '../domain/types.ts';
import { readOneOf } from '../http/input.ts';
import { json } from '../http/reply.ts';
import { RANGES } from '../services/listening/statistics.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';

/** Listening statistics of the owner, for dashboards: days as `YYYY-MM-DD` in UTC, times in seconds. */
export const createStatisticsRoute =
  ({ statistics }: Pick<Services, 'statistics'>, { identity }: RouteContext): Handler =>
  async (event) => {
    const user = await identity.owner(event);
    const { from, until, longestStreak, finishedEpisodes, periods, podcasts, devices, ...counted } =
      await statistics.of(user.id, readOneOf(event, 'range', RANGES));
    return json({
      ...counted,
      from: toDate(from),
      to: toDate(until - 1),
      longest_streak: longestStreak,
      finished_episodes: finishedEpisodes,
      periods: periods.map(({ start, listened }) => ({ start: toDate(start), listened })),
      podcasts: podcasts.map(({ url, title, listened }) => ({ url, title, listened })),
      devices: devices.map(({ id = null, listened }) => ({ id, listened })),
    });
  };

const toDate = (at: Seconds): string => formatTimestamp(at).slice(0, 10);
