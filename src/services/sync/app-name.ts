import type { UserId } from '../../domain/types.ts';
import type { SettingStore, Storage } from '../../storage/stores.ts';

/** Characters of a `User-Agent` that are stored. */
const MAX_LENGTH = 255;

/** The beginning of a `User-Agent`, copied: a slice would keep the whole text in memory. */
export const cutAppName = (app: string): string =>
  app.length <= MAX_LENGTH ? app : Buffer.from(app.slice(0, MAX_LENGTH)).toString();

/** The `User-Agent` to store for a user: empty if the account setting `store_user_agent` is false (spec 2.9). */
export async function storedAppName(settings: Pick<SettingStore, 'get'>, user: UserId, app: string): Promise<string> {
  const { store_user_agent: isKept } = await settings.get(user, { kind: 'account' });
  return isKept === false ? '' : cutAppName(app);
}

/** Removes the stored names of apps, except from refused requests, which are replaced by newer ones. */
export async function forgetAppNames(
  { devices, sessions, appPasswords }: Pick<Storage, 'devices' | 'sessions' | 'appPasswords'>,
  user: UserId,
): Promise<void> {
  for (const { id, syncedAt, app, dialect } of await devices.all(user)) {
    if (app && syncedAt !== undefined && dialect) await devices.touch(user, id, { syncedAt, app: '', dialect });
  }
  for (const { digest, usedAt, address, app } of await appPasswords.all(user)) {
    if (app && usedAt !== undefined && address !== undefined) {
      await appPasswords.recordUse(user, digest, { usedAt, address, app: '' });
    }
  }
  for (const { digest, app } of await sessions.all(user)) if (app) await sessions.update(digest, { app: undefined });
}

/** The name of an app in its `User-Agent`, without the version; empty if it has none. */
export const toAppLabel = (app: string): string =>
  /^(?!Mozilla)[^/(]+/.exec(cutAppName(app))?.[0].trim() || cutAppName(app);
