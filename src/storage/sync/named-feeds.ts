import type { Url, UserId } from '../../domain/types.ts';
import { LOGINS, settingsPrefix } from '../accounts/account-keys.ts';
import type { Core } from '../accounts/core.ts';
import { under } from '../keys.ts';
import { readLists } from './podcast-lists.ts';
import { scan } from '../rows.ts';
import { readSettings } from '../accounts/settings.ts';

/** All feeds in lists and settings, account by account. */
export async function* namedFeeds(core: Core): AsyncGenerator<readonly Url[]> {
  for await (const page of scan(core.store, under(LOGINS))) {
    for (const user of new Set(page.map(({ value }) => (JSON.parse(value) as { user: UserId }).user))) {
      for (const { urls } of await readLists(core, user)) yield urls;
      const settings = await readSettings(core, settingsPrefix(user));
      yield settings.flatMap(({ scope }) => ('podcast' in scope ? scope.podcast : []));
    }
  }
}
