import { type ActionStore, type EpisodeAction, markAfter, originOf, type UserId } from '../../../src/old-plugin.ts';
import { createActionTable } from './action-table.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { createHistory } from './history.ts';
import type { Order } from './order.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

export function createActionStore(
  database: Database,
  directory: Directory,
  subscriptions: SubscriptionTable,
  upload: StoreUpload,
): ActionStore {
  const insertInto = createActionTable(database);
  const history = createHistory(database);

  /** Those that are new. A repeat leaves a gap in the places, which does no harm. */
  const append = (user: UserId, actions: readonly EpisodeAction[], { stamp, next }: Order): EpisodeAction[] => {
    const uploadedAt = database.context.now();
    const insert = insertInto(user);
    return actions.filter((action) => insert(action, { stamp, place: next(), uploadedAt }));
  };

  return {
    append: (user, actions, sender) =>
      database.write(() => {
        const named = new Set(actions.map(({ device }) => device));
        const devices = [...named].filter((device) => device !== undefined);
        return upload({ user, devices, origin: originOf(named, sender) }, (order) => {
          const fresh = append(user, actions, order);
          directory.meet(fresh.map(({ podcast }) => podcast));
          return fresh.length > 0;
        });
      }),

    query: (user, { subscribedOn, ...query }) =>
      database.read(() => {
        const last = database.lastStamp(user);
        const podcasts = subscribedOn === undefined ? undefined : subscriptions.current(user, [subscribedOn]);
        const pages = history.query(user, { ...query, ...(podcasts && { podcasts }) }, last);
        return { pages, mark: markAfter(last) };
      }),
  };
}
