import type { Clock } from '../../clock.ts';
import { dayOf, startOfDay, weekdayOf } from '../../domain/listening.ts';
import type { Seconds, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import { resolvePodcasts } from '../directory/resolve-podcasts.ts';
import type { ActionCache } from './action-cache.ts';
import type { ActionTable } from './action-table.ts';

/** How far back statistics go, the default first; `all`: to the first play. */
export const RANGES = ['30d', '90d', 'year', 'all'] as const;
export type StatisticsRange = (typeof RANGES)[number];

const DAYS = { '30d': 30, '90d': 90, year: 365 } as const;
const TOP_PODCASTS = 20;
/** A history of up to this many days is shown by month, a longer one by year. */
const BY_MONTH = 5 * 366;

/** Times are in UTC. Listening time is that of `listenedIn`, at the time of the action. */
export interface ListeningStatistics {
  range: StatisticsRange;
  /** Start of the first day. */
  from: Seconds;
  /** End of the last day, which is today. */
  until: Seconds;
  listened: Seconds;
  /** Plays that have a listening time. */
  plays: number;
  /** Days with such plays. */
  days: number;
  /** The most of these days in a row. */
  longestStreak: number;
  /** Episodes with a play that reached the end; see `isFinished`. */
  finishedEpisodes: number;
  step: 'day' | 'week' | 'month' | 'year';
  /** Consecutive, including those without listening time; the range may cut the first and the last. */
  periods: { start: Seconds; listened: Seconds }[];
  /** Most listened first, at most 20. */
  podcasts: ListenedPodcast[];
  /** Most listened first; `id` is undefined for plays that name no device. */
  devices: { id: string | undefined; listened: Seconds }[];
  /** By weekday from Monday, then by hour. */
  hours: Seconds[][];
}

interface ListenedPodcast {
  url: Url;
  title: string;
  /** Language of the title; undefined for a podcast that is not in the directory. */
  language: string | undefined;
  listened: Seconds;
}

export interface Statistics {
  of(user: UserId, range: StatisticsRange): Promise<ListeningStatistics>;
}

export const createStatistics = (
  podcasts: Pick<PodcastStore, 'find'>,
  actionCache: ActionCache,
  now: Clock,
): Statistics => ({
  async of(user, range) {
    const table = await actionCache.read(user);
    const { byPodcast, ...counted } = await countIfChanged(table, range, dayOf(now()));
    const resolved = await resolvePodcasts(podcasts, byPodcast.keys());
    // A podcast may have several addresses.
    const merged = new Map<Url, ListenedPodcast>();
    for (const [address, seconds] of byPodcast) {
      const url = resolved.currentUrl(address);
      const { title, language } = resolved.get(address) ?? {};
      merged.set(url, { url, title: title || url, language, listened: (merged.get(url)?.listened ?? 0) + seconds });
    }
    return { ...counted, podcasts: mostListened([...merged.values()]).slice(0, TOP_PODCASTS) };
  },
});

/** Listening time of each of the last days, the oldest first. */
export function listenedByDay(table: ActionTable, days: number, today: number): ListeningStatistics['periods'] {
  const first = today - days + 1;
  const listened = zeros(days);
  for (const row of table.rows(startOfDay(first), startOfDay(today + 1))) {
    listened[dayOf(table.timeOf(row)) - first]! += table.listenedIn(row);
  }
  return listened.map((seconds, at) => ({ start: startOfDay(first + at), listened: seconds }));
}

/** The last result of each range: valid until the next upload or the end of the day. */
const lastCounts = new WeakMap<
  ActionTable,
  Map<StatisticsRange, { length: number; today: number; result: Promise<Counted> }>
>();

function countIfChanged(table: ActionTable, range: StatisticsRange, today: number): Promise<Counted> {
  const known = lastCounts.get(table) ?? new Map();
  lastCounts.set(table, known);
  const last = known.get(range);
  if (last?.length === table.length && last.today === today) return last.result;
  const result = count(table, range, today);
  known.set(range, { length: table.length, today, result });
  return result;
}

type Counted = Omit<ListeningStatistics, 'podcasts'> & { byPodcast: Map<Url, Seconds> };

async function count(table: ActionTable, range: StatisticsRange, today: number): Promise<Counted> {
  const until = startOfDay(today + 1);
  const firstDay = range === 'all' ? firstDayOf(table, until, today) : today - DAYS[range] + 1;
  const from = startOfDay(firstDay);

  let [listened, plays] = [0, 0];
  const byDay = new Map<number, Seconds>();
  const byPodcast = zeros(table.podcasts.length);
  const byDevice = zeros(table.devices.length + 1); // the first for plays without a device
  const hours = Array.from({ length: 7 }, () => zeros(24));
  const finished = new Set<number>();
  await eachInSlices(table.rows(from, until), (row) => {
    if (table.isFinish(row)) finished.add(table.episodeOf(row));
    const seconds = table.listenedIn(row);
    if (seconds === 0) return;
    const time = table.timeOf(row);
    const day = dayOf(time);
    listened += seconds;
    plays += 1;
    byDay.set(day, (byDay.get(day) ?? 0) + seconds);
    byPodcast[table.podcastOf(row)]! += seconds;
    byDevice[table.deviceOf(row) + 1]! += seconds;
    hours[weekdayOf(day)]![Math.floor((time - startOfDay(day)) / 3600)]! += seconds;
  });
  const step = stepOf(range, today - firstDay);
  return {
    range,
    from,
    until,
    listened,
    plays,
    days: byDay.size,
    longestStreak: longestRun([...byDay.keys()]),
    finishedEpisodes: finished.size,
    step,
    periods: toPeriods(byDay, firstDay, today, step),
    byPodcast: new Map(table.podcasts.flatMap((url, at) => (byPodcast[at]! > 0 ? [[url, byPodcast[at]!]] : []))),
    devices: mostListened(
      byDevice.flatMap((seconds, at) => (seconds > 0 ? { id: table.devices[at - 1], listened: seconds } : [])),
    ),
    hours,
  };
}

const zeros = (length: number): Seconds[] => Array.from({ length }, () => 0);

/** The day of the first play that has a listening time. */
function firstDayOf(table: ActionTable, until: Seconds, today: number): number {
  for (const row of table.rows(0, until)) if (table.listenedIn(row) > 0) return dayOf(table.timeOf(row));
  return today;
}

function stepOf(range: StatisticsRange, days: number): ListeningStatistics['step'] {
  if (range === 'year') return 'week';
  if (range !== 'all') return 'day';
  return days > BY_MONTH ? 'year' : 'month';
}

function longestRun(days: readonly number[]): number {
  let [longest, run, last] = [0, 0, NaN];
  for (const day of days) {
    run = day === last + 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
    last = day;
  }
  return longest;
}

function toPeriods(
  byDay: ReadonlyMap<number, Seconds>,
  first: number,
  last: number,
  step: ListeningStatistics['step'],
): ListeningStatistics['periods'] {
  const periods: ListeningStatistics['periods'] = [];
  let next = first;
  for (let day = first; day <= last; day += 1) {
    if (day === next) {
      periods.push({ start: startOfDay(day), listened: 0 });
      next = nextPeriod(day, step);
    }
    periods.at(-1)!.listened += byDay.get(day) ?? 0;
  }
  return periods;
}

/** The day on which the next period starts; weeks start on Monday. */
function nextPeriod(day: number, step: ListeningStatistics['step']): number {
  if (step === 'day') return day + 1;
  if (step === 'week') return day + 7 - weekdayOf(day);
  const date = new Date(startOfDay(day) * 1000);
  const [year, month] =
    step === 'year' ? [date.getUTCFullYear() + 1, 0] : [date.getUTCFullYear(), date.getUTCMonth() + 1];
  return dayOf(Date.UTC(year, month) / 1000);
}

const mostListened = <Item extends { listened: Seconds }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => b.listened - a.listened);
