import { Refusal } from '../../domain/errors.ts';
import type { ListSummary, Url, UserId } from '../../domain/types.ts';
import type { DirectoryMode } from '../../options.ts';
import { unlessMissing } from '../../storage/errors.ts';
import type { Storage } from '../../storage/stores.ts';
import { type Accounts, UNKNOWN_USER } from './accounts.ts';

/** The public data of a user. */
interface Profile {
  name: string;
  /** The public subscriptions, under the user's own URLs, in the order first added. */
  urls: Url[];
  /** In the order created. */
  lists: ListSummary[];
}

export interface Profiles {
  /**
   * By user name. Subscriptions are public if the settings of spec 2.9 allow it and the podcast is listed; lists always
   * are. If `public_profile` is false, nothing is public. Throws the same `missing` for an unknown user and for one
   * without public data.
   */
  find(name: string): Promise<Profile>;
}

type Stores = Pick<Storage, 'subscriptions' | 'settings' | 'lists'>;

export function createProfiles(
  { subscriptions, settings, lists }: Stores,
  accounts: Pick<Accounts, 'findByName'>,
  mode: DirectoryMode,
): Profiles {
  /** The default is true (spec 2.9). Any value other than true hides the profile. */
  const isPublic = async (user: UserId): Promise<boolean> => {
    const { public_profile: value = true } = await settings.get(user, { kind: 'account' });
    return value === true;
  };

  /** Undefined if nothing is public. */
  const read = async (name: string): Promise<Profile | undefined> => {
    if (mode === 'off') return undefined;
    const user = await accounts.findByName(name);
    const id = user?.id ?? UNKNOWN_USER;
    // A private profile takes as long as an unknown one, however many subscriptions it has.
    const visible = (await isPublic(id)) ? id : UNKNOWN_USER;
    const urls = await subscriptions.listed(visible);
    const profile = { name: user?.name ?? name, urls, lists: await lists.all(visible) };
    // Checked again, so that feeds subscribed to after the profile was hidden are not shown.
    return (await isPublic(visible)) && urls.length + profile.lists.length > 0 ? profile : undefined;
  };

  return {
    async find(name) {
      const profile = await unlessMissing(read(name)); // the account may be deleted meanwhile
      if (!profile) throw new Refusal('missing', 'no public profile with this name');
      return profile;
    },
  };
}
