import type { Url, UserId } from '../../../src/old-plugin.ts';
import type { StoredAction } from '../sql/action-row.ts';
import { fingerprint } from '../fingerprint.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Passes over repeats. Answers how many were stored, and which of their feeds the directory does not know. */
const INSERT = `
  WITH fresh AS (
    INSERT INTO actions (
      user_id, stamp, place, podcast, episode, device, guid, action, timestamp, position, started, total, fingerprint,
      uploaded_at
    )
    SELECT @user, told.stamp, @place + number - 1, podcast, episode, device, guid, action, timestamp, position, started,
      total, fingerprint, uploaded_at
    FROM unnest(
      @stamps::bigint[], @podcasts::text[], @episodes::text[], @devices::text[], @guids::text[], @kinds::text[],
      @timestamps::bigint[], @positions::bigint[], @starts::bigint[], @totals::bigint[], @fingerprints::uuid[],
      @uploads::bigint[]
    ) WITH ORDINALITY AS told(
      stamp, podcast, episode, device, guid, action, timestamp, position, started, total, fingerprint, uploaded_at, number
    )
    ORDER BY number
    ON CONFLICT (user_id, timestamp, fingerprint) DO NOTHING RETURNING podcast
  )
  SELECT (SELECT count(*) FROM fresh) AS count, (
    SELECT json_agg(DISTINCT podcast) FROM fresh
    WHERE NOT EXISTS (SELECT 1 FROM podcast_urls WHERE url_key = key_of(podcast))
  )::text AS unknown`;

/** What was stored. */
export interface Stored {
  count: number;
  /** Feeds that the directory has yet to meet. */
  unknown: Url[];
}

/** Stores actions from a place on. A repeat leaves a gap in the places, which does no harm. */
type StoreActions = (
  connection: Connection,
  user: UserId,
  place: number,
  stored: readonly StoredAction[],
) => Promise<Stored>;

export function createActionTable(database: Database): StoreActions {
  const insert = database.prepare<{ count: number; unknown: string | null }>(INSERT);
  return async (connection, user, place, stored) => {
    const { count, unknown } = (await insert.get(connection, {
      user,
      place,
      stamps: stored.map(({ stamp }) => stamp),
      podcasts: stored.map(({ action }) => action.podcast),
      episodes: stored.map(({ action }) => action.episode),
      devices: stored.map(({ action }) => action.device),
      guids: stored.map(({ action }) => action.guid),
      kinds: stored.map(({ action }) => action.action),
      timestamps: stored.map(({ action }) => action.timestamp),
      positions: stored.map(({ action }) => action.play?.position),
      starts: stored.map(({ action }) => action.play?.started),
      totals: stored.map(({ action }) => action.play?.total),
      fingerprints: stored.map(({ action }) => fingerprint(action, 'hex').slice(0, 32)),
      uploads: stored.map(({ uploadedAt }) => uploadedAt),
    }))!;
    return { count, unknown: JSON.parse(unknown ?? '[]') as Url[] };
  };
}
