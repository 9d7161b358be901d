import { scopeKey } from 'podsync/old-plugin';

/** @import { SettingStore } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** @type {(data: Data) => SettingStore} */
export const createSettingStore = (data) => ({
  async get(user, scope) {
    return Object.fromEntries(data.account(user).settings.get(scopeKey(scope))?.values ?? []);
  },

  async update(user, scope, { set, remove, limit }) {
    const { settings } = data.account(user);
    const values = new Map([...(settings.get(scopeKey(scope))?.values ?? []), ...Object.entries(set)]);
    for (const key of remove) values.delete(key);
    if (values.size > limit) return undefined;
    settings.set(scopeKey(scope), { scope, values });
    return Object.fromEntries(values);
  },

  async withKey(user, kind, key) {
    const scopes = [...data.account(user).settings.values()].filter(({ scope }) => scope.kind === kind);
    return scopes.flatMap(({ scope, values }) => (values.has(key) ? [{ scope, value: values.get(key) ?? null }] : []));
  },
});
