import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../domain/errors.ts';
import type { ActionType, EpisodeAction, Seconds, Url, UserId } from '../../domain/types.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import type { ActionTable, Cursor } from './action-table.ts';
import { type EpisodeNames, findNames } from '../directory/episode-names.ts';
import { resolvePodcasts } from '../directory/resolve-podcasts.ts';
import type { ActionCache } from './action-cache.ts';

/** Actions of an export that are written in one chunk. */
const EXPORT_CHUNK = 500;

/** Podcasts to choose from: if there are more, the most recent ones. */
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

/** Selects actions older or newer than a cursor, which later uploads do not shift. */
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
  actionCache: ActionCache,
  podcasts: Pick<PodcastStore, 'find' | 'findEpisodes'>,
): History {
  const select = async (user: UserId, filter: HistoryFilter): Promise<{ table: ActionTable; matches: Matches }> => {
    const table = await actionCache.read(user);
    const wanted = filter.podcast === undefined ? undefined : await podcastNumbers(table, filter.podcast);
    return { table, matches: createMatches(table, filter, wanted) };
  };

  /** Numbers of the podcast under all its addresses. */
  const podcastNumbers = async (table: ActionTable, url: Url): Promise<ReadonlySet<number>> => {
    const { currentUrl } = await resolvePodcasts(podcasts, [url, ...table.podcasts]);
    return new Set(table.podcasts.flatMap((each, number) => (currentUrl(each) === currentUrl(url) ? number : [])));
  };

  return {
    async page(user, filter, { before, after }, limit) {
      const { table, matches } = await select(user, filter);
      const take = (rows: Iterable<number>, count: number): number[] => {
        const taken: number[] = [];
        for (const row of rows) {
          if (!matches(row)) continue;
          taken.push(row);
          if (taken.length === count) break;
        }
        return taken;
      };
      const rows =
        after === undefined
          ? take(table.before(before === undefined ? undefined : parseCursor(before)), limit)
          : take(table.after(parseCursor(after)), limit).toReversed();
      const [first, last] = [rows[0], rows.at(-1)];
      const hasNewer = first !== undefined && take(table.after(table.cursorAt(first)), 1).length > 0;
      const hasOlder = last !== undefined && take(table.before(table.cursorAt(last)), 1).length > 0;
      const actions = rows.map((row) => table.actionAt(row));
      const names = await findNames(podcasts, actions);
      return {
        entries: actions.map((action, at) => ({ ...action, ...names[at]! })),
        ...(hasNewer && { newer: toCursor(table.cursorAt(first)) }),
        ...(hasOlder && { older: toCursor(table.cursorAt(last)) }),
      };
    },

    async export(user, filter) {
      const { table, matches } = await select(user, filter);
      return exportPages(table, matches, async (actions) => {
        const resolved = await resolvePodcasts(
          podcasts,
          actions.map(({ podcast }) => podcast),
        );
        return actions.map((action) => ({ ...action, podcastTitle: resolved.get(action.podcast)?.title ?? '' }));
      });
    },

    async choices(user) {
      const table = await actionCache.read(user);
      const urls = table.podcasts.slice(-MAX_CHOICES);
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

function createMatches(
  table: ActionTable,
  { device, action, from = 0, until = Infinity }: HistoryFilter,
  podcasts: ReadonlySet<number> | undefined,
): Matches {
  const wanted = device === undefined ? undefined : table.deviceNumber(device);
  if (device !== undefined && wanted === undefined) return () => false;
  return (row) => {
    const time = table.timeOf(row);
    return (
      time >= from &&
      time < until &&
      (podcasts === undefined || podcasts.has(table.podcastOf(row))) &&
      (wanted === undefined || table.deviceOf(row) === wanted) &&
      (action === undefined || table.typeOf(row) === action)
    );
  };
}

const toCursor = ({ time, row }: Cursor): string => `${time}-${row}`;

function parseCursor(text: string): Cursor {
  const [, time, row] = /^(\d{1,12})-(\d{1,12})$/.exec(text) ?? [];
  if (time === undefined) throw invalid('this is not a page of the history; start again at the first one');
  return { time: Number(time), row: Number(row) };
}

async function* exportPages<Entry>(
  table: ActionTable,
  matches: Matches,
  describe: (actions: EpisodeAction[]) => Promise<Entry[]>,
): AsyncGenerator<Entry[]> {
  let cursor: Cursor | undefined;
  for (;;) {
    const actions: EpisodeAction[] = [];
    // The table may grow between two pages, so each page starts again at the cursor.
    let scanned = 0;
    for (const row of table.before(cursor)) {
      cursor = table.cursorAt(row);
      if (matches(row)) actions.push(table.actionAt(row));
      if (actions.length === EXPORT_CHUNK || (scanned += 1) === 20 * EXPORT_CHUNK) break;
    }
    if (scanned === 0 && actions.length === 0) return;
    if (actions.length > 0) yield await describe(actions);
    await setImmediate();
  }
}
