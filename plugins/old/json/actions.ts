import { type ActionStore, originOf } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import { upload } from './upload.ts';

export const createActionStore = (database: Database): ActionStore => ({
  append: (user, actions, sender) =>
    upload(database, user, async ({ history }) => {
      const fresh = await history.unknown(actions);
      const devices = new Set(actions.map(({ device }) => device));
      return {
        devices: [...devices].filter((device) => device !== undefined),
        origin: originOf(devices, sender),
        changes: fresh.actions.length > 0 ? [{ kind: 'act', actions: fresh }] : [],
      };
    }),

  async query(user, { subscribedOn, ...query }) {
    const account = await database.account(user);
    const rows = subscribedOn === undefined ? undefined : account.list(subscribedOn).current();
    const podcasts = rows && new Set(rows.map(({ url }) => url));
    const pages = account.history.query(query, podcasts);
    return { pages: database.registry.whileThere(user, pages), mark: database.mark(account) };
  },
});
