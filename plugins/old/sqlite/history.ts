import { setImmediate } from 'node:timers/promises';
import type { EpisodeAction, Seconds, Stamp, Url, UserId } from '../../../src/old-plugin.ts';
import { type ActionRow, type HistoryQuery, type Place, type StoredAction, toAction } from '../sql/action-row.ts';
import type { Database, Values } from './database.ts';
import { fromColumn } from './text.ts';

type Row = ActionRow<string | Buffer>;

/** Rows that are looked at in one go; a page holds those that match. */
const WINDOW = 1000;

const AFTER = 'user_id = @user AND (stamp, place) > (@stamp, @place)';

/** Where a window ends. One range of the primary key, as is the page: the cost follows what is read. */
export const WINDOW_END = `
  SELECT stamp, place FROM actions WHERE ${AFTER} AND stamp <= @last
  ORDER BY stamp, place LIMIT 1 OFFSET ${WINDOW - 1}`;

export const PAGE = `
  SELECT * FROM actions WHERE ${AFTER} AND (stamp, place) <= (@endStamp, @endPlace)
  AND (@podcast IS NULL OR podcast = @podcast)
  AND (@device IS NULL OR device = @device)
  AND (@podcasts IS NULL OR podcast IN (SELECT value FROM json_each(@podcasts)))
  ORDER BY stamp, place`;

/**
 * Reads histories in pages. What is stored is never changed and what comes later has a higher stamp, so that everything
 * up to the stamp `last` is a snapshot without holding anything.
 */
export function createHistory(database: Database) {
  const windowEnd = database.prepare<Place>(WINDOW_END);
  const page = database.prepare<Row>(PAGE);

  /** `end` is undefined for the last window. */
  const readWindow = (from: Values & { last: Stamp }, filters: Values) =>
    database.read(() => {
      const end = windowEnd.get(from);
      const bounds = { endStamp: end?.stamp ?? from.last, endPlace: end?.place ?? Number.MAX_SAFE_INTEGER };
      return { rows: page.all({ ...from, ...filters, ...bounds }), end };
    });

  async function* read(user: UserId, query: HistoryQuery, last: Stamp): AsyncGenerator<Row[]> {
    const { since = 0, podcast = null, device = null, podcasts } = query;
    const filters = { podcast, device, podcasts: podcasts ? JSON.stringify(podcasts) : null };
    let after: Place | undefined = { stamp: since, place: -1 };
    while (after) {
      const { rows, end } = await readWindow({ user, ...after, last }, filters);
      if (rows.length > 0) yield rows;
      after = end;
      await setImmediate(); // others have their turn, also where nothing matches for long
    }
  }

  async function* readAll(user: UserId, query: HistoryQuery, last: Stamp): AsyncGenerator<EpisodeAction[]> {
    for await (const rows of read(user, query, last)) yield rows.map(readAction);
  }

  /** Reads twice: which are the latest, then those. Of each episode only its URLs and a place stay in memory. */
  async function* readLatest(user: UserId, query: HistoryQuery, last: Stamp): AsyncGenerator<EpisodeAction[]> {
    const latest = new Map<Url, Map<Url, Place & { timestamp: Seconds }>>();
    for await (const rows of read(user, query, last)) {
      for (const row of rows) {
        const episodes = latest.get(row.podcast) ?? new Map();
        latest.set(row.podcast, episodes);
        if ((episodes.get(row.episode)?.timestamp ?? -1) > row.timestamp) continue;
        episodes.set(row.episode, { stamp: row.stamp, place: row.place, timestamp: row.timestamp });
      }
    }
    const isLatest = (row: Row): boolean => {
      const { stamp, place } = latest.get(row.podcast)!.get(row.episode)!;
      return stamp === row.stamp && place === row.place;
    };
    for await (const rows of read(user, query, last)) {
      const found = rows.filter(isLatest);
      if (found.length > 0) yield found.map(readAction);
    }
  }

  return {
    query: (user: UserId, query: HistoryQuery, last: Stamp): AsyncIterable<EpisodeAction[]> =>
      query.latest ? readLatest(user, query, last) : readAll(user, query, last),

    /** Everything. Throws `missing` when the account is removed meanwhile. */
    async *all(user: UserId, last: Stamp): AsyncGenerator<StoredAction[]> {
      for await (const rows of read(user, {}, last)) {
        await database.read(() => database.requireUser(user));
        yield rows.map((row) => ({ action: readAction(row), stamp: row.stamp, uploadedAt: row.uploaded_at }));
      }
      await database.read(() => database.requireUser(user));
    },
  };
}

const readAction = (row: Row): EpisodeAction => toAction(row, row.guid === null ? null : fromColumn(row.guid));
