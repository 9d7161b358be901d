import { type ActionStore, type EpisodeAction, markAfter, type UserId } from '../../src/plugin.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { fingerprint } from '../sql/fingerprint.ts';
import { createHistory, type StoredAction } from './history.ts';
import type { Order } from './order.ts';
import type { Stamps } from './stamps.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

/** Passes over a repeat. */
const INSERT = `
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
  ON CONFLICT (user_id, timestamp, fingerprint) DO NOTHING RETURNING place`;

/** Stores actions from a place on; answers those that are new. A repeat leaves a gap in the places, which does no harm. */
export type StoreActions = (
  connection: Connection,
  user: UserId,
  place: number,
  stored: readonly StoredAction[],
) => Promise<EpisodeAction[]>;

export function createActionTable(database: Database): StoreActions {
  const insert = database.prepare<{ place: number }>(INSERT);
  return async (connection, user, place, stored) => {
    const rows = await insert.all(connection, {
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
    });
    return rows.map((row) => stored[row.place - place]!.action);
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
  ): Promise<EpisodeAction[]> => {
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
          const fresh = await append(connection, user, actions, order);
          await directory.meet(
            connection,
            fresh.map(({ podcast }) => podcast),
          );
          return fresh.length > 0;
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
