import { type ActionStore, type EpisodeAction, markAfter, type Url, type UserId } from '../../src/plugin.ts';
import type { StoredAction } from '../sql/action-row.ts';
import { fingerprint } from '../sql/fingerprint.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { createHistory } from './history.ts';
import type { Order } from './order.ts';
import type { Stamps } from './stamps.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

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
interface Stored {
  count: number;
  /** Feeds that the directory has yet to meet. */
  unknown: Url[];
}

/** Stores actions from a place on. A repeat leaves a gap in the places, which does no harm. */
export type StoreActions = (
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

export function createActionStore(
  database: Database,
  stamps: Stamps,
  directory: Directory,
  subscriptions: SubscriptionTable,
  upload: StoreUpload,
): ActionStore {
  const storeActions = createActionTable(database);
  const history = createHistory(database);

  const append = (
    connection: Connection,
    user: UserId,
    actions: readonly EpisodeAction[],
    order: Order,
  ): Promise<Stored> => {
    const { stamp, at, place } = order;
    order.place += actions.length;
    return storeActions(
      connection,
      user,
      place,
      actions.map((action) => ({ action, stamp, uploadedAt: at })),
    );
  };

  return {
    async append(user, actions) {
      const named = new Set(actions.map(({ device }) => device));
      const devices = [...named].filter((device) => device !== undefined);
      const origin = named.size === 1 ? devices[0] : undefined;
      return database.write((connection) =>
        upload(connection, { user, devices, origin }, async (order) => {
          const { count, unknown } = await append(connection, user, actions, order);
          await directory.meet(connection, unknown);
          return count > 0;
        }),
      );
    },

    query: (user, { subscribedOn, ...query }) =>
      database.write(async (connection) => {
        const { at, last } = await stamps.holdUser(connection, user);
        const podcasts =
          subscribedOn === undefined ? undefined : await subscriptions.current(connection, user, [subscribedOn]);
        const pages = history.query(user, { ...query, ...(podcasts && { podcasts }) }, last);
        return { pages, mark: markAfter(at, last) };
      }),
  };
}
