import { type ActionStore, type EpisodeAction, markAfter, originOf, type UserId } from '../../../src/old-plugin.ts';
import { createActionTable, type Stored } from './action-table.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { createHistory } from './history.ts';
import type { Order } from './order.ts';
import type { Stamps } from './stamps.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

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
    async append(user, actions, sender) {
      const named = new Set(actions.map(({ device }) => device));
      const devices = [...named].filter((device) => device !== undefined);
      const origin = originOf(named, sender);
      return database.writeFor(user, (connection) =>
        upload(connection, { user, devices, origin }, async (order) => {
          const { count, unknown } = await append(connection, user, actions, order);
          await directory.meet(connection, unknown);
          return count > 0;
        }),
      );
    },

    query: (user, { subscribedOn, ...query }) =>
      database.writeFor(user, async (connection) => {
        const { last } = await stamps.holdUser(connection, user);
        const podcasts =
          subscribedOn === undefined ? undefined : await subscriptions.current(connection, user, [subscribedOn]);
        const pages = history.query(user, { ...query, ...(podcasts && { podcasts }) }, last);
        return { pages, mark: markAfter(last) };
      }),
  };
}
