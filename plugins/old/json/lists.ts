import type { ListStore } from '../../../src/old-plugin.ts';
import { listTaken } from '../errors.ts';
import type { Database } from './database.ts';

export const createListStore = (database: Database): ListStore => ({
  all: async (user) => [...(await database.account(user)).lists.values()].map(({ name, title }) => ({ name, title })),

  find: async (user, name) => (await database.account(user)).lists.get(name),

  create: (user, list) =>
    database.inLine(user, async () => {
      const { lists } = await database.account(user);
      if (lists.has(list.name)) throw listTaken();
      await database.write({ account: { user, changes: [{ kind: 'list', list: { ...list, urls: [...list.urls] } }] } });
    }),

  replace: (user, name, urls) =>
    database.inLine(user, async () => {
      const list = (await database.account(user)).lists.get(name);
      if (!list) return false;
      await database.write({ account: { user, changes: [{ kind: 'list', list: { ...list, urls: [...urls] } }] } });
      return true;
    }),

  delete: (user, name) =>
    database.inLine(user, async () => {
      if (!(await database.account(user)).lists.has(name)) return false;
      await database.write({ account: { user, changes: [{ kind: 'remove-list', name }] } });
      return true;
    }),
});
