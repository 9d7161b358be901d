import { Refusal } from '../domain/errors.ts';
import type { Json, ListSummary, Url, UserId } from '../domain/types.ts';
import { hasCredentials } from '../domain/url.ts';
import { isStorageError } from '../storage/errors.ts';
import type { Storage } from '../storage/stores.ts';
import { type Accounts, NOBODY } from './accounts.ts';
import { inPages } from './paging.ts';

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
   * By user name. Subscriptions are public as the settings of spec 2.9 say, lists always are; where `public_profile` is
   * false nothing is shown. Throws `missing`, the same for an unknown user and for one who shows nothing.
   */
  find(name: string): Promise<Profile>;
}

type Stores = Pick<Storage, 'subscriptions' | 'settings' | 'lists' | 'podcasts'>;

export function createProfiles(
  accounts: Pick<Accounts, 'named'>,
  { subscriptions, settings, lists, podcasts }: Stores,
): Profiles {
  /** The URL that each podcast is shown under: a feed that has moved is still the one that was marked. */
  const shownUrls = async (urls: readonly Url[]): Promise<Url[]> => {
    const shown: Url[] = [];
    for await (const page of inPages(urls)) {
      const known = await podcasts.find(page);
      shown.push(...page.map((url, index) => known[index]?.url ?? url));
    }
    return shown;
  };

  const publicUrls = async (user: UserId): Promise<Url[]> => {
    // Before the settings: what was marked as private and then subscribed to is never shown without its mark.
    const urls = (await subscriptions.current(user)).filter((url) => !hasCredentials(url));
    const isUsual = isYes((await settings.get(user, { kind: 'account' })).public_subscriptions);
    const marks = await settings.withKey(user, 'podcast', 'public_subscription');
    const marked = (isPublic: boolean): Url[] =>
      marks.flatMap(({ scope, value }) => (scope.kind === 'podcast' && isYes(value) === isPublic ? scope.podcast : []));
    if (isUsual && marked(false).length === 0) return urls;
    if (!isUsual && marked(true).length === 0) return [];
    const hidden = new Set(await shownUrls(marked(false)));
    const shown = new Set(await shownUrls(marked(true)));
    const ids = await shownUrls(urls);
    return urls.filter((_, index) => !hidden.has(ids[index]!) && (isUsual || shown.has(ids[index]!)));
  };

  const isPublic = async (user: UserId): Promise<boolean> =>
    isYes((await settings.get(user, { kind: 'account' })).public_profile);

  /** Undefined where nothing is shown. */
  const read = async (name: string): Promise<Profile | undefined> => {
    const user = await accounts.named(name);
    const id = user?.id ?? NOBODY;
    // A profile that is not public takes as long as none: not the longer, the more its user subscribes to.
    const shown = (await isPublic(id)) ? id : NOBODY;
    const urls = await publicUrls(shown);
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

/** The default is true (spec 2.9). What is neither true nor false was meant to change that. */
const isYes = (value: Json | undefined): boolean => value === undefined || value === true;
