import { invalid } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import { parseScope, type ScopeRequest } from '../../domain/scope.ts';
import { findSettingProblem, MAX_SETTINGS, tooManySettings } from '../../domain/setting.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Json, Url, UserId } from '../../domain/types.ts';
import type { UrlRules } from '../../domain/url.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Storage } from '../../storage/stores.ts';
import { forgetAppNames } from './app-name.ts';

type SettingValues = Readonly<Record<string, Json>>;

/** The scope of the whole account. */
export const ACCOUNT: ScopeRequest = { scope: 'account' };

export interface Settings {
  /** All settings of a scope, whose device, podcast or episode need not exist. Throws `invalid` for an invalid scope. */
  get(user: UserId, scope: ScopeRequest): Promise<SettingValues>;
  /**
   * Sets, then removes, and returns all remaining settings (spec 4.6). Throws `invalid` unless `set` is an object and
   * `remove` an array of strings, and for what is too long, too large, too deep or too many; then nothing changes.
   */
  update(user: UserId, scope: ScopeRequest, change: { set: unknown; remove: unknown }): Promise<SettingValues>;
  /** Episodes with the setting `is_favorite` true (spec 2.9), by podcast, then by episode. */
  favorites(user: UserId): Promise<{ podcast: Url; episode: Url }[]>;
}

export function createSettings(
  storage: Pick<Storage, 'settings' | 'devices' | 'sessions' | 'appPasswords'>,
  rules: UrlRules,
): Settings {
  const { settings, devices } = storage;
  /** The account setting `sync_devices` is a switch: on, all devices follow each other; off, none does. */
  const switchSync = async (user: UserId, isOn: Json | undefined): Promise<void> => {
    const all = (await devices.all(user)).map(({ id }) => id);
    try {
      if (isOn === true) await devices.synchronize(user, [all], []);
      if (isOn === false) await devices.synchronize(user, [], all);
    } catch (error) {
      if (!isStorageError(error, 'missing')) throw error;
      await switchSync(user, isOn); // a device was removed meanwhile
    }
    // Another request may have changed it meanwhile and finished first.
    const { sync_devices: now } = await settings.get(user, { kind: 'account' });
    if (typeof now === 'boolean' && now !== isOn) await switchSync(user, now);
  };

  return {
    get: async (user, request) => settings.get(user, parseScope(request, rules)),

    async update(user, request, change) {
      const scope = parseScope(request, rules);
      const set = readSet(change.set);
      const remove = readRemove(change.remove);
      const left = await settings.update(user, scope, { set, remove, limit: MAX_SETTINGS });
      if (!left) throw tooManySettings();
      if (scope.kind === 'account' && Object.hasOwn(set, 'sync_devices')) await switchSync(user, left.sync_devices);
      if (scope.kind === 'account' && set.store_user_agent === false) await forgetAppNames(storage, user);
      return left;
    },

    async favorites(user) {
      const marked = await settings.withKey(user, 'episode', 'is_favorite');
      const favorites = marked.flatMap(({ scope, value }) => (scope.kind === 'episode' && value === true ? scope : []));
      return favorites.toSorted((a, b) => compareText(a.podcast, b.podcast) || compareText(a.episode, b.episode));
    },
  };
}

function readSet(value: unknown): SettingValues {
  if (!isJsonObject(value)) throw invalid('"set" must be an object of keys and values');
  const set = value as SettingValues;
  if (Object.keys(set).length > MAX_SETTINGS) throw tooManySettings(); // before checking a million of them
  for (const [index, [key, each]] of Object.entries(set).entries()) {
    const wrong = findSettingProblem(key, each);
    if (wrong) throw invalid(`"set": ${wrong} (entry ${index})`);
  }
  return set;
}

function readRemove(value: unknown): string[] {
  if (Array.isArray(value) && value.every((key) => typeof key === 'string')) return value;
  throw invalid('"remove" must be an array of keys');
}
