import type { UserId } from '../../domain/types.ts';
import type { SettingStore } from '../../storage/stores.ts';

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

/** The name of an app in its `User-Agent`, without the version; empty if it has none. */
export const toAppLabel = (app: string): string =>
  /^(?!Mozilla)[^/(]+/.exec(cutAppName(app))?.[0].trim() || cutAppName(app);
