import type { SettingStore } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';

export const createSettingStore = (database: Database): SettingStore => ({
  get: async (user, scope) => Object.fromEntries((await database.account(user)).settings.get(scope)),

  update: (user, scope, { set, remove, limit }) =>
    database.inLine(user, async () => {
      const { settings } = await database.account(user);
      const change = { scope, set: Object.entries(set), remove: [...remove] };
      const left = settings.after(change);
      if (left.size > limit) return undefined;
      await database.write({ account: { user, changes: [{ kind: 'setting', ...change }] } });
      return Object.fromEntries(left);
    }),

  withKey: async (user, kind, key) => (await database.account(user)).settings.withKey(kind, key),
});
