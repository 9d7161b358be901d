import { scopeKey } from '../../domain/scope.ts';
import type { Json, SettingScope, UserId } from '../../domain/types.ts';
import type { Key } from '../contract.ts';
import type { Core } from '../core.ts';
import { type DirectoryChange, prepareCorrection } from '../directory/account-changes.ts';
import type { Prefix } from '../keys.ts';
import { byPlace, listAll, scan } from '../rows.ts';
import type { SettingStore } from '../stores.ts';
import { valuesOf } from '../values.ts';
import { settingsPrefix, textDigest } from './account-keys.ts';
import type { Account } from './account.ts';
import type { Head } from './head.ts';
import { isPrivacySetting, type Privacy, type Setting, toPrivacy } from './privacy.ts';

export interface StoredSetting extends Setting {
  /** Position in the order first set. */
  place: number;
}

/** The account setting that makes all devices follow each other. */
export const SYNC_DEVICES = 'sync_devices';

export function createSettingStore(core: Core): SettingStore {
  const { accounts } = core;
  return {
    get: async (user, scope) => toRecord(await readScope(core, user, scope)),

    update: (user, scope, { set, remove, limit }) =>
      accounts.write(user, async (account) => {
        const { head } = account;
        const before = new Map((await readScope(core, user, scope)).map((each) => [each.key, each]));
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
        const affectsPrivacy = [...changed, ...removed.map((key) => ({ scope, key }))].some(isPrivacySetting);
        if (affectsPrivacy) await core.refresh.run(); // a feed may have moved on another node
        const privacy = affectsPrivacy
          ? await readPrivacy(core, user, { scope, after: [...after.values()] })
          : undefined;
        const syncDevices = scope.kind === 'account' ? after.get(SYNC_DEVICES)?.value === true : head.syncDevices;
        return {
          result,
          write: {
            head: { next, syncDevices, ...(privacy && { visibility: privacy.visibility }) },
            set: changed.map((each) => [settingKey(user, each), JSON.stringify(each)]),
            delete: removed.map((key) => settingKey(user, { scope, key })),
            directory: privacy && (await privacyChange(core, account, privacy)),
          },
        };
      }),

    async withKey(user, kind, key) {
      const stored = await readSettingsOf(core, user, kind, (each) => each.key === key);
      return stored.map(({ scope, value }) => ({ scope, value }));
    },
  };
}

/** Which subscriptions are private, according to the settings. `change`: replaces the stored settings of a scope. */
export async function readPrivacy(
  core: Core,
  user: UserId,
  change?: { scope: SettingScope; after: readonly StoredSetting[] },
): Promise<Privacy> {
  const kinds = ['account', 'podcast'] as const;
  const stored = await Promise.all(kinds.map((kind) => readSettingsOf(core, user, kind, isPrivacySetting)));
  const changed = change && scopeKey(change.scope);
  const others = stored.flat().filter(({ scope }) => scopeKey(scope) !== changed);
  return toPrivacy([...others, ...(change?.after ?? [])], core.directory.memory.currentUrl);
}

/** Which feeds are private for an account, whose head is given. Reads its settings only if they differ. */
export const privateFeeds = async (core: Core, user: UserId, { visibility }: Head): Promise<Privacy['isPrivate']> =>
  visibility === 'some' ? (await readPrivacy(core, user)).isPrivate : () => visibility === 'none';

/** Prepares the directory change for subscriptions that become private or public. */
async function privacyChange(core: Core, account: Account, { isPrivate }: Privacy): Promise<DirectoryChange> {
  const urls = await (await core.accounts.part(account, 'subscriptions')).union();
  return prepareCorrection(core.directory, account.id, urls, isPrivate);
}

const scopePrefix = (user: UserId, scope: SettingScope): Prefix =>
  `${settingsPrefix(user)}${scope.kind}/${textDigest(scopeKey(scope))}/`;

export const settingKey = (user: UserId, { scope, key }: Pick<StoredSetting, 'scope' | 'key'>): Key =>
  `${scopePrefix(user, scope)}${textDigest(key)}`;

/** The settings of a scope, in the order first set. */
async function readScope({ store }: Core, user: UserId, scope: SettingScope): Promise<StoredSetting[]> {
  const settings = valuesOf<StoredSetting>(await listAll(store, scopePrefix(user, scope)));
  return settings.toSorted(byPlace);
}

/** The settings of all scopes of a kind that `isWanted`. Page by page, as all of them may not fit in memory. */
async function readSettingsOf(
  { store }: Core,
  user: UserId,
  kind: SettingScope['kind'],
  isWanted: (setting: StoredSetting) => boolean,
): Promise<StoredSetting[]> {
  const wanted: StoredSetting[] = [];
  for await (const page of scan(store, `${settingsPrefix(user)}${kind}/`)) {
    for (const setting of valuesOf<StoredSetting>(page)) if (isWanted(setting)) wanted.push(setting);
  }
  return wanted;
}

const toRecord = (stored: readonly StoredSetting[]): Record<string, Json> =>
  Object.fromEntries(stored.map(({ key, value }) => [key, value]));
