import { scopeKey } from '../domain/scope.ts';
import type { Json, SettingScope, UserId } from '../domain/types.ts';
import { settingsPrefix, textDigest } from './account-keys.ts';
import type { Key } from './contract.ts';
import type { Core } from './core.ts';
import { under } from './keys.ts';
import { listAll } from './rows.ts';
import type { SettingStore } from './stores.ts';

/** One setting as it is stored. */
export interface StoredSetting {
  scope: SettingScope;
  key: string;
  value: Json;
  /** Its place in the order first set. */
  place: number;
}

/** The account setting by which all devices follow each other. */
export const SYNC_DEVICES = 'sync_devices';

export function createSettingStore(core: Core): SettingStore {
  const { accounts } = core;
  return {
    async get(user, scope) {
      const stored = await readSettings(core, scopePrefix(user, scope));
      return toRecord(stored.toSorted(byPlace));
    },

    update: (user, scope, { set, remove, limit }) =>
      accounts.write(user, async ({ head }) => {
        const stored = await readSettings(core, scopePrefix(user, scope));
        const before = new Map(stored.toSorted(byPlace).map((each) => [each.key, each]));
        const after = new Map(before);
        let { next } = head;
        for (const [key, value] of Object.entries(set)) {
          after.set(key, { scope, key, value, place: before.get(key)?.place ?? next++ });
        }
        for (const key of remove) after.delete(key);
        if (after.size > limit) return { result: undefined };
        const result = toRecord([...after.values()]);
        const changed = [...after.values()].filter((each) => each !== before.get(each.key));
        const removed = [...before.keys()].filter((key) => !after.has(key));
        if (changed.length === 0 && removed.length === 0) return { result };
        const syncDevices = scope.kind === 'account' ? after.get(SYNC_DEVICES)?.value === true : head.syncDevices;
        return {
          result,
          write: {
            head: { next, syncDevices },
            set: changed.map((each) => [settingKey(user, each), JSON.stringify(each)]),
            delete: removed.map((key) => settingKey(user, { scope, key })),
          },
        };
      }),

    async withKey(user, kind, key) {
      const stored = await readSettings(core, `${settingsPrefix(user)}${kind}/`);
      return stored.filter((each) => each.key === key).map(({ scope, value }) => ({ scope, value }));
    },
  };
}

const scopePrefix = (user: UserId, scope: SettingScope): `${string}/` =>
  `${settingsPrefix(user)}${scope.kind}/${textDigest(scopeKey(scope))}/`;

export const settingKey = (user: UserId, { scope, key }: Pick<StoredSetting, 'scope' | 'key'>): Key =>
  `${scopePrefix(user, scope)}${textDigest(key)}`;

export const readSettings = async ({ store }: Core, prefix: `${string}/`): Promise<StoredSetting[]> =>
  (await listAll(store, under(prefix))).map(({ value }) => JSON.parse(value) as StoredSetting);

export const byPlace = (a: { place: number }, b: { place: number }): number => a.place - b.place;

const toRecord = (stored: readonly StoredSetting[]): Record<string, Json> =>
  Object.fromEntries(stored.map(({ key, value }) => [key, value]));
