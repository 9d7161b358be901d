import { Refusal } from '../../domain/errors.ts';
import { checkListLength, MAX_LISTS, toListName } from '../../domain/list.ts';
import type { ListSummary, PodcastList, Url, UserId } from '../../domain/types.ts';
import type { UrlRules } from '../../domain/url.ts';
import type { Storage } from '../../storage/stores.ts';
import { refuseConflict, UNKNOWN_USER } from '../accounts/accounts.ts';
import type { Viewer } from '../directory/directory.ts';
import { sanitizeFeedUrls } from './feed-urls.ts';

export interface Lists {
  /** In the order created, except for lists that were moved; empty for a user who does not exist. */
  all(user: UserId | undefined): Promise<ListSummary[]>;
  /** Throws `missing`. */
  find(user: UserId, name: string): Promise<PodcastList>;
  /** What the viewer may see of a list. Throws `missing`, the same if the user does not exist. */
  findShared(user: UserId | undefined, name: string, viewer: Viewer): Promise<SharedList>;
  /**
   * Creates a list, named after its title (spec 4.4). Throws `invalid` for a title without a letter or digit, for too
   * many URLs and if none of them is usable, and `conflict` if the user has too many lists or one with this name.
   */
  create(user: UserId, title: string, submitted: readonly string[]): Promise<PodcastList>;
  /** Replaces the podcasts of a list. Throws `invalid` and `missing`; then nothing changes. */
  replace(user: UserId, name: string, submitted: readonly string[]): Promise<void>;
  /** Adds podcasts at the end; those already on the list keep their place. Throws as `replace` does. */
  add(user: UserId, name: string, submitted: readonly string[]): Promise<void>;
  /** Removes a podcast. Throws `missing` for an unknown list. */
  remove(user: UserId, name: string, url: Url): Promise<void>;
  /** Changes the title of a list; its name, which is part of its address, stays. Throws `invalid` and `missing`. */
  rename(user: UserId, name: string, title: string): Promise<void>;
  /** Moves a list down by this number of places, or up if negative, but not beyond the ends. Throws `missing`. */
  move(user: UserId, name: string, by: number): Promise<void>;
  /** Throws `missing`. */
  delete(user: UserId, name: string): Promise<void>;
}

/** A list without the addresses that look secret, unless its owner views it. */
interface SharedList extends PodcastList {
  /** Set if the list has such addresses: then only the owner may see this. */
  owner?: UserId;
}

function requireFound<Found>(found: Found | false | undefined): Found {
  if (!found) throw new Refusal('missing', 'there is no list with this name');
  return found;
}

/** The usable URLs, as `sanitizeFeedUrls`. Throws `invalid` also for too many. */
async function readFeeds(submitted: readonly string[], rules: UrlRules): Promise<Url[]> {
  const urls = await sanitizeFeedUrls(submitted, rules);
  checkListLength(urls);
  return urls;
}

export const createLists = ({ lists, podcasts }: Pick<Storage, 'lists' | 'podcasts'>, rules: UrlRules): Lists => ({
  all: (user = UNKNOWN_USER) => lists.all(user),

  find: async (user, name) => requireFound(await lists.find(user, name)),

  async findShared(user = UNKNOWN_USER, name, viewer) {
    const list = requireFound(await lists.find(user, name));
    const urls = await podcasts.withoutSecrets(list.urls);
    if (urls.length === list.urls.length) return list;
    return (await viewer()) === user ? { ...list, owner: user } : { ...list, urls };
  },

  async create(user, title, submitted) {
    const name = toListName(title);
    const list = { name, title, urls: await readFeeds(submitted, rules) };
    if ((await lists.all(user)).length >= MAX_LISTS) {
      throw new Refusal('conflict', `an account may have up to ${MAX_LISTS} podcast lists; delete one first`);
    }
    await lists.create(user, list).catch(refuseConflict);
    return list;
  },

  async replace(user, name, submitted) {
    const urls = await readFeeds(submitted, rules);
    requireFound(await lists.update(user, name, () => ({ urls })));
  },

  async add(user, name, submitted) {
    const added = await readFeeds(submitted, rules);
    const isFound = await lists.update(user, name, (list) => {
      const urls = [...new Set([...list.urls, ...added])];
      checkListLength(urls);
      return { urls };
    });
    requireFound(isFound);
  },

  async remove(user, name, url) {
    requireFound(await lists.update(user, name, ({ urls }) => ({ urls: urls.filter((each) => each !== url) })));
  },

  async rename(user, name, title) {
    toListName(title);
    requireFound(await lists.update(user, name, () => ({ title })));
  },

  async move(user, name, by) {
    requireFound(await lists.move(user, name, by));
  },

  async delete(user, name) {
    requireFound(await lists.delete(user, name));
  },
});
