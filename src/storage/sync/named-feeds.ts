import type { Url } from '../../domain/types.ts';
import { listsPrefix, settingsPrefix } from '../accounts/account-keys.ts';
import type { Core } from '../core.ts';
import { feedsIn } from './podcast-lists.ts';
import { scan } from '../rows.ts';
import type { StoredSetting } from '../accounts/settings.ts';
import { userIds } from '../accounts/users.ts';
import { valuesOf } from '../values.ts';

/** All feeds in lists and settings, account by account, in pages. */
export async function* namedFeeds(core: Core): AsyncGenerator<readonly Url[]> {
  for await (const user of userIds(core.store)) {
    for await (const page of scan(core.store, listsPrefix(user))) yield feedsIn(page);
    for await (const page of scan(core.store, settingsPrefix(user))) {
      yield valuesOf<StoredSetting>(page).flatMap(({ scope }) => ('podcast' in scope ? scope.podcast : []));
    }
  }
}
