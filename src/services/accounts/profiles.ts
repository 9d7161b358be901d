import { Refusal } from '../../domain/errors.ts';
import type { ListSummary, Url, UserId } from '../../domain/types.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Storage } from '../../storage/stores.ts';
import { type Accounts, UNKNOWN_USER } from './accounts.ts';
import type { DirectoryMode } from '../directory/directory.ts';

/** What a user shows to everybody. */
interface Profile {
  name: string;
  /** The public subscriptions, under the very URLs that the user has; in the order first added. */
  urls: Url[];
  /** In the order created. */
  lists: ListSummary[];
}

export interface Profiles {
  /**
   * By user name. Subscriptions are public as the settings of spec 2.9 say and where the podcast is listed, lists always
   * are; where `public_profile` is false nothing is shown. Throws `missing`, the same for an unknown user and for one who
   * shows nothing.
   */
  find(name: string): Promise<Profile>;
}

type Stores = Pick<Storage, 'subscriptions' | 'settings' | 'lists'>;

export function createProfiles(
  accounts: Pick<Accounts, 'findByName'>,
  { subscriptions, settings, lists }: Stores,
  mode: DirectoryMode,
): Profiles {
  /** The default is true (spec 2.9). What is neither true nor false was meant to change that. */
  const isPublic = async (user: UserId): Promise<boolean> => {
    const { public_profile: value = true } = await settings.get(user, { kind: 'account' });
    return value === true;
  };

  /** Undefined where nothing is shown. */
  const read = async (name: string): Promise<Profile | undefined> => {
    if (mode === 'off') return undefined;
    const user = await accounts.findByName(name);
    const id = user?.id ?? UNKNOWN_USER;
    // A profile that is not public takes as long as none: not the longer, the more its user subscribes to.
    const shown = (await isPublic(id)) ? id : UNKNOWN_USER;
    const urls = await subscriptions.shown(shown);
    const profile = { name: user?.name ?? name, urls, lists: await lists.all(shown) };
    // Asked once more: what was subscribed to after the profile was hidden is not shown.
    return (await isPublic(shown)) && urls.length + profile.lists.length > 0 ? profile : undefined;
  };

  return {
    async find(name) {
      const profile = await read(name).catch((error: unknown) => {
        if (!isStorageError(error, 'missing')) throw error; // what reading for nobody may reject with
      });
      if (!profile) throw new Refusal('missing', 'there is no public profile with this name');
      return profile;
    },
  };
}
