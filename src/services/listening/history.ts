import { setImmediate } from 'node:timers/promises';
import { inBatches } from '../../batches.ts';
import { invalid } from '../../domain/errors.ts';
import type { ActionType, EpisodeAction, Seconds, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import { type EpisodeNames, findNames } from '../directory/episode-names.ts';
import { resolvePodcasts } from '../directory/resolve-podcasts.ts';
import type { ActionCache } from './action-cache.ts';
import type { ActionTable } from './action-table.ts';

/** Actions of an export that are written in one chunk. */
const EXPORT_CHUNK = 500;

/** Podcasts to choose from: if there are more, those with the most recent actions. */
const MAX_CHOICES = 1000;

/** Selects actions; undefined fields select all. `podcast` is any address of it. */
export interface HistoryFilter {
  podcast?: Url | undefined;
  device?: string | undefined;
  action?: ActionType | undefined;
  /** Time of the action: `from` or later, before `until`. */
  from?: Seconds | undefined;
  until?: Seconds | undefined;
}

export type HistoryEntry = EpisodeAction & EpisodeNames;

export interface HistoryPage {
  /** The newest first, by the time of the action. */
  entries: HistoryEntry[];
  /** Cursors of the next pages; undefined if there is none. */
  older?: string | undefined;
  newer?: string | undefined;
}

/** Selects actions older or newer than a cursor: a row of the action table, which later uploads do not shift. */
interface HistoryCursor {
  before?: string | undefined;
  after?: string | undefined;
}

export interface History {
  /** Throws `invalid` for an invalid cursor. */
  page(user: UserId, filter: HistoryFilter, cursor: HistoryCursor, limit: number): Promise<HistoryPage>;
  /** All matches, the newest first, in pages, with podcast titles. Episode titles would take minutes. */
  export(user: UserId, filter: HistoryFilter): Promise<AsyncIterable<(EpisodeAction & { podcastTitle: string })[]>>;
  /** The values to filter by: podcasts, sorted by title, and devices. */
  choices(user: UserId): Promise<{ podcasts: { url: Url; title: string }[]; devices: readonly string[] }>;
}

export function createHistory(
  podcasts: Pick<PodcastStore, 'find' | 'findEpisodes'>,
  actionCache: ActionCache,
): History {
  /** The rows in the period of a filter, the oldest first, and whether one matches the rest of it. */
  const select = async (
    user: UserId,
    { podcast, device, action, from, until }: HistoryFilter,
  ): Promise<{ table: ActionTable; rows: readonly number[]; matches: Matches }> => {
    const table = await actionCache.read(user);
    const wanted = podcast === undefined ? undefined : await podcastNumbers(table, podcast);
    const deviceNumber = device === undefined ? undefined : table.deviceNumber(device);
    const matches: Matches = (row) =>
      (wanted === undefined || wanted.has(table.podcastOf(row))) &&
      (device === undefined || table.deviceOf(row) === deviceNumber) &&
      (action === undefined || table.typeOf(row) === action);
    return { table, rows: table.rows(from, until), matches };
  };

  /** Numbers of the podcast under all its addresses. */
  const podcastNumbers = async (table: ActionTable, url: Url): Promise<ReadonlySet<number>> => {
    const { currentUrl } = await resolvePodcasts(podcasts, [url, ...table.podcasts]);
    return new Set(table.podcasts.flatMap((each, number) => (currentUrl(each) === currentUrl(url) ? number : [])));
  };

  /** In batches, each in a turn of the event loop of its own. */
  async function* describe(table: ActionTable, rows: readonly number[]) {
    for (const batch of inBatches(rows, EXPORT_CHUNK)) {
      const actions = batch.map((row) => table.actionAt(row));
      const resolved = await resolvePodcasts(
        podcasts,
        actions.map(({ podcast }) => podcast),
      );
      yield actions.map((action) => ({ ...action, podcastTitle: resolved.get(action.podcast)?.title ?? '' }));
      await setImmediate();
    }
  }

  return {
    async page(user, filter, { before, after }, limit) {
      const { table, rows, matches } = await select(user, filter);
      /** The indexes of up to `count` matches on one side of an index, the nearest first. */
      const find = (start: number, step: 1 | -1, count: number): number[] => {
        const found: number[] = [];
        for (let at = start + step; at >= 0 && at < rows.length && found.length < count; at += step) {
          if (matches(rows[at]!)) found.push(at);
        }
        return found;
      };
      const page =
        after === undefined
          ? find(before === undefined ? rows.length : indexOf(before, rows), -1, limit)
          : find(indexOf(after, rows), 1, limit).toReversed();
      const [first, last] = [page[0], page.at(-1)];
      const hasNewer = first !== undefined && find(first, 1, 1).length > 0;
      const hasOlder = last !== undefined && find(last, -1, 1).length > 0;
      const actions = page.map((at) => table.actionAt(rows[at]!));
      const named = page.map((at) => table.referenceOf(table.episodeOf(rows[at]!)));
      const names = await findNames(podcasts, named);
      return {
        entries: actions.map((action, at) => ({ ...action, ...names[at]! })),
        ...(hasNewer && { newer: String(rows[first]) }),
        ...(hasOlder && { older: String(rows[last]) }),
      };
    },

    async export(user, filter) {
      const { table, rows, matches } = await select(user, filter);
      const found: number[] = [];
      await eachInSlices(rows, (row) => matches(row) && found.push(row));
      return describe(table, found.toReversed());
    },

    async choices(user) {
      const table = await actionCache.read(user);
      const urls = table.recentPodcasts(MAX_CHOICES);
      const resolved = await resolvePodcasts(podcasts, urls);
      const choices = new Map<Url, string>();
      for (const url of urls) {
        const currentUrl = resolved.currentUrl(url);
        choices.set(currentUrl, resolved.get(url)?.title || currentUrl);
      }
      const all = Array.from(choices, ([url, title]) => ({ url, title }));
      return { podcasts: all.toSorted((a, b) => COLLATOR.compare(a.title, b.title)), devices: table.devices };
    },
  };
}

type Matches = (row: number) => boolean;

const COLLATOR = new Intl.Collator('en');

function indexOf(cursor: string, rows: readonly number[]): number {
  const index = /^\d+$/.test(cursor) ? rows.indexOf(Number(cursor)) : -1;
  if (index === -1) throw invalid('this is not a page of the history; start again at the first one');
  return index;
}
