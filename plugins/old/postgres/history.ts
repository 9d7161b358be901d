import type { EpisodeAction, Stamp, UserId } from '../../../src/old-plugin.ts';
import { type ActionRow, type HistoryQuery, type Place, type StoredAction, toAction } from '../sql/action-row.ts';
import type { Database, Values } from './database.ts';

const PAGE_SIZE = 1000;

const MATCHES = `user_id = @user AND stamp <= @last
  AND (@podcast::text IS NULL OR podcast = @podcast)
  AND (@device::text IS NULL OR device = @device)
  AND (@podcasts::text[] IS NULL OR podcast = ANY(@podcasts))`;

/** One range of the primary key: the cost follows what is read. */
export const PAGE = `
  SELECT * FROM actions WHERE ${MATCHES} AND (stamp, place) > (@stamp::bigint, @place::integer)
  ORDER BY stamp, place LIMIT ${PAGE_SIZE}`;

/** Where the latest action on each episode stands. */
const LATEST = `
  SELECT stamp, place FROM (
    SELECT DISTINCT ON (podcast, episode) stamp, place FROM actions WHERE ${MATCHES} AND stamp >= @since
    ORDER BY podcast, episode, timestamp DESC, stamp DESC, place DESC
  ) AS latest ORDER BY stamp, place`;

const AT_PLACES = `
  SELECT actions.* FROM unnest(@stamps::bigint[], @places::integer[]) AS found(stamp, place)
  JOIN actions USING (stamp, place) WHERE user_id = @user ORDER BY stamp, place`;

/**
 * Reads histories in pages. What is stored is never changed and what comes later has a higher stamp, so that everything
 * up to the stamp `last` is a snapshot without holding anything: no connection waits for a slow reader.
 */
export function createHistory(database: Database) {
  const page = database.prepare<ActionRow>(PAGE);
  const latest = database.prepare<Place>(LATEST);
  const atPlaces = database.prepare<ActionRow>(AT_PLACES);

  async function* read(user: UserId, query: HistoryQuery, last: Stamp): AsyncGenerator<ActionRow[]> {
    const values = { user, last, ...toFilters(query) };
    let after: Place = { stamp: query.since ?? 0, place: -1 };
    let rows: ActionRow[];
    do {
      const { stamp, place } = after;
      rows = await database.read((connection) => page.all(connection, { ...values, stamp, place }));
      if (rows.length > 0) yield rows;
      after = rows.at(-1) ?? after;
    } while (rows.length === PAGE_SIZE);
  }

  async function* readAll(user: UserId, query: HistoryQuery, last: Stamp): AsyncGenerator<EpisodeAction[]> {
    for await (const rows of read(user, query, last)) yield rows.map((row) => toAction(row, row.guid));
  }

  /** Of each episode only a place stays in memory. */
  async function* readLatest(user: UserId, query: HistoryQuery, last: Stamp): AsyncGenerator<EpisodeAction[]> {
    const values = { user, last, ...toFilters(query), since: query.since ?? 0 };
    const found = await database.read((connection) => latest.all(connection, values));
    for (let from = 0; from < found.length; from += PAGE_SIZE) {
      const places = found.slice(from, from + PAGE_SIZE);
      const rows = await database.read((connection) =>
        atPlaces.all(connection, {
          user,
          stamps: places.map(({ stamp }) => stamp),
          places: places.map(({ place }) => place),
        }),
      );
      if (rows.length > 0) yield rows.map((row) => toAction(row, row.guid));
    }
  }

  return {
    query: (user: UserId, query: HistoryQuery, last: Stamp): AsyncIterable<EpisodeAction[]> =>
      query.latest ? readLatest(user, query, last) : readAll(user, query, last),

    /** Everything. */
    async *all(user: UserId, last: Stamp): AsyncGenerator<StoredAction[]> {
      for await (const rows of read(user, {}, last)) {
        yield rows.map((row) => ({ action: toAction(row, row.guid), stamp: row.stamp, uploadedAt: row.uploaded_at }));
      }
    },
  };
}

const toFilters = ({ podcast, device, podcasts }: HistoryQuery): Values => ({ podcast, device, podcasts });
