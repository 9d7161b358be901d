import type { Url } from '../../domain/types.ts';
import { settingsPrefix } from '../accounts/account-keys.ts';
import type { Core } from '../accounts/core.ts';
import { readLists } from './podcast-lists.ts';
import { readSettings } from '../accounts/settings.ts';
import { userIds } from '../accounts/users.ts';

/** All feeds in lists and settings, account by account. */
export async function* namedFeeds(core: Core): AsyncGenerator<readonly Url[]> {
  for await (const user of userIds(core.store)) {
    for (const { urls } of await readLists(core, user)) yield urls;
    const settings = await readSettings(core, settingsPrefix(user));
    yield settings.flatMap(({ scope }) => ('podcast' in scope ? scope.podcast : []));
  }
}
