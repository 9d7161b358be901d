import { Refusal } from '../domain/errors.ts';
import type { Json, ListSummary, Url, UserId } from '../domain/types.ts';
import { hasCredentials } from '../domain/url.ts';
import type { Storage } from '../storage/stores.ts';
import type { Accounts } from './accounts.ts';
import type { KnownPodcast } from './directory.ts';

/** What a user shows to everybody. */
interface Profile {
  name: string;
  /** What is known of each, under the very URL that the user has; in the order first added. */
  podcasts: KnownPodcast[];
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
  const shownUrls = async (urls: readonly Url[]): Promise<Url[]> =>
    (await podcasts.find(urls)).map((podcast, index) => podcast?.url ?? urls[index]!);

  const publicPodcasts = async (user: UserId): Promise<Profile['podcasts']> => {
    // Before the settings: what was marked as private and then subscribed to is never shown without its mark.
    const urls = (await subscriptions.current(user)).filter((url) => !hasCredentials(url));
    const known = await podcasts.find(urls);
    const isUsual = isYes((await settings.get(user, { kind: 'account' })).public_subscriptions);
    const marks = await settings.withKey(user, 'podcast', 'public_subscription');
    const marked = async (isPublic: boolean): Promise<Set<Url>> => {
      const scopes = marks.filter(({ value }) => isYes(value) === isPublic).map(({ scope }) => scope);
      return new Set(await shownUrls(scopes.flatMap((scope) => (scope.kind === 'podcast' ? scope.podcast : []))));
    };
    const hidden = await marked(false);
    const shown = await marked(true);
    return urls.flatMap((url, index) => {
      const id = known[index]?.url ?? url;
      return !hidden.has(id) && (isUsual || shown.has(id)) ? { ...known[index], url } : [];
    });
  };

  return {
    async find(name) {
      const user = await accounts.named(name);
      const profile = user && {
        name: user.name,
        podcasts: await publicPodcasts(user.id),
        lists: await lists.all(user.id),
      };
      if (!profile || profile.podcasts.length + profile.lists.length === 0) throw nothingToShow();
      const { public_profile: isPublic } = await settings.get(user.id, { kind: 'account' });
      if (!isYes(isPublic)) throw nothingToShow();
      return profile;
    },
  };
}

/** The default is true (spec 2.9). What is neither true nor false was meant to change that. */
const isYes = (value: Json | undefined): boolean => value === undefined || value === true;

const nothingToShow = (): Refusal => new Refusal('missing', 'there is nobody with this name who shows anything');
