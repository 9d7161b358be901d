import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../domain/errors.ts';
import type { ActionType, EpisodeAction, Seconds, Url, UserId } from '../../domain/types.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import type { ActionTable, Cursor } from './action-table.ts';
import { type EpisodeNames, findNames } from '../directory/episode-names.ts';
import type { ActionCache } from './action-cache.ts';

/** Actions of an export that are written at once. */
const EXPORTED_AT_ONCE = 500;

/** Podcasts to choose from: of more than these, the last that the account came to act on. */
const MAX_CHOICES = 1000;

/** Which actions; all of them where nothing is said. `podcast` is any address of it. */
export interface HistoryFilter {
  podcast?: Url | undefined;
  device?: string | undefined;
  action?: ActionType | undefined;
  /** When they happened: `from` or later, before `until`. */
  from?: Seconds | undefined;
  until?: Seconds | undefined;
}

export type HistoryEntry = EpisodeAction & EpisodeNames;

export interface HistoryPage {
  /** The newest first, by the time at which they happened. */
  entries: HistoryEntry[];
  /** Cursors of the pages beside this one; undefined where there is none. */
  older?: string | undefined;
  newer?: string | undefined;
}

/** Actions older, or newer, than the one at a cursor. A cursor stands for the same place whatever is uploaded later. */
export interface HistoryCursor {
  before?: string | undefined;
  after?: string | undefined;
}

export interface History {
  /** Throws `invalid` for what is no cursor. */
  page(user: UserId, filter: HistoryFilter, cursor: HistoryCursor, limit: number): Promise<HistoryPage>;
  /** All that match, the newest first, in pages, with the titles of podcasts; those of episodes would take minutes. */
  export(user: UserId, filter: HistoryFilter): Promise<AsyncIterable<(EpisodeAction & { podcastTitle: string })[]>>;
  /** What can be filtered by: podcasts by title, and devices. */
  choices(user: UserId): Promise<{ podcasts: { url: Url; title: string }[]; devices: readonly string[] }>;
}

export function createHistory(
  actionCache: ActionCache,
  podcasts: Pick<PodcastStore, 'find' | 'findEpisodes'>,
): History {
  /** Undefined: none can match. */
  const open = async (user: UserId, filter: HistoryFilter): Promise<{ table: ActionTable; matches: Matches }> => {
    const table = await actionCache.read(user);
    const wanted = filter.podcast === undefined ? undefined : await sameAs(table, filter.podcast);
    return { table, matches: createMatches(table, filter, wanted) };
  };

  /** Numbers of the podcast under all its addresses. */
  const sameAs = async (table: ActionTable, url: Url): Promise<ReadonlySet<number>> => {
    const [[asked], all] = [await podcasts.find([url]), await podcasts.find(table.podcasts)];
    const same = new Set<number>();
    for (const [number, podcast] of all.entries()) {
      if (table.podcasts[number] === url || (asked && podcast?.url === asked.url)) same.add(number);
    }
    return same;
  };

  return {
    async page(user, filter, { before, after }, limit) {
      const { table, matches } = await open(user, filter);
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
      const { table, matches } = await open(user, filter);
      return exportPages(table, matches, async (actions) => {
        const urls = [...new Set(actions.map(({ podcast }) => podcast))];
        const found = await podcasts.find(urls);
        const titles = new Map(urls.map((url, at) => [url, found[at]?.title ?? '']));
        return actions.map((action) => ({ ...action, podcastTitle: titles.get(action.podcast)! }));
      });
    },

    async choices(user) {
      const table = await actionCache.read(user);
      const urls = table.podcasts.slice(-MAX_CHOICES);
      const found = await podcasts.find(urls);
      const choices = new Map<Url, string>();
      for (const [number, url] of urls.entries()) {
        const shown = found[number]?.url ?? url;
        choices.set(shown, found[number]?.title || shown);
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
  if (time === undefined) throw invalid('this is no place in the history; start again at its first page');
  return { time: Number(time), row: Number(row) };
}

async function* exportPages<Entry>(
  table: ActionTable,
  matches: Matches,
  describe: (actions: EpisodeAction[]) => Promise<Entry[]>,
): AsyncGenerator<Entry[]> {
  let place: Cursor | undefined;
  for (;;) {
    const actions: EpisodeAction[] = [];
    // The table may go on between two pages: each starts again at a place in time.
    let looked = 0;
    for (const row of table.before(place)) {
      place = table.cursorAt(row);
      if (matches(row)) actions.push(table.actionAt(row));
      if (actions.length === EXPORTED_AT_ONCE || (looked += 1) === 20 * EXPORTED_AT_ONCE) break;
    }
    if (looked === 0 && actions.length === 0) return;
    if (actions.length > 0) yield await describe(actions);
    await setImmediate();
  }
}
