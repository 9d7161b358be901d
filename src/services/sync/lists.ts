import { Refusal } from '../../domain/errors.ts';
import { checkListTitle, MAX_LISTS, requireFewListFeeds } from '../../domain/list.ts';
import { createSlug } from '../../domain/slug.ts';
import type { ListSummary, PodcastList, Url, UserId } from '../../domain/types.ts';
import type { UrlRules } from '../../domain/url.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { ListStore } from '../../storage/stores.ts';
import { UNKNOWN_USER } from '../accounts/accounts.ts';
import { sanitizeFeedUrls } from './feed-urls.ts';

export interface Lists {
  /** In the order created, but for those that were moved; none of a user who does not exist. */
  all(user: UserId | undefined): Promise<ListSummary[]>;
  /** Throws `missing`, the same where there is no such user. */
  find(user: UserId | undefined, name: string): Promise<PodcastList>;
  /**
   * Makes a list, named after its title (spec 4.4). Throws `invalid` for a title without a letter or digit and for URLs
   * of which none can be used or that are too many, `conflict` when the user has too many lists, or one of that name.
   */
  create(user: UserId, title: string, submitted: readonly string[]): Promise<PodcastList>;
  /** Gives a list other podcasts. Throws `invalid` and `missing`, and then nothing changes. */
  replace(user: UserId, name: string, submitted: readonly string[]): Promise<void>;
  /** Adds podcasts at the end; those that are on the list already stay in their place. Throws as `replace` does. */
  add(user: UserId, name: string, submitted: readonly string[]): Promise<void>;
  /** Takes a podcast off. Throws `missing` for an unknown list. */
  remove(user: UserId, name: string, url: Url): Promise<void>;
  /** Gives a list another title; its name, which is in its address, stays. Throws `invalid` and `missing`. */
  rename(user: UserId, name: string, title: string): Promise<void>;
  /** Moves a list so many places down, or up where negative; not beyond an end. Throws `missing`. */
  move(user: UserId, name: string, by: number): Promise<void>;
  /** Throws `missing`. */
  delete(user: UserId, name: string): Promise<void>;
}

const noSuchList = (): Refusal => new Refusal('missing', 'there is no list with this name');

function requireFound(isFound: boolean): void {
  if (!isFound) throw noSuchList();
}

/** Nothing where the storage rejects as there is no such user. */
const noneIfMissing = (error: unknown): undefined => {
  if (!isStorageError(error, 'missing')) throw error;
};

/** The usable ones, each once. Throws `invalid` when there are some and none can be used, and for too many. */
async function readFeeds(submitted: readonly string[], rules: UrlRules): Promise<Url[]> {
  const urls = await sanitizeFeedUrls(submitted, rules);
  requireFewListFeeds(urls);
  return urls;
}

export const createLists = (lists: ListStore, rules: UrlRules): Lists => ({
  async all(user = UNKNOWN_USER) {
    return (await lists.all(user).catch(noneIfMissing)) ?? [];
  },

  async find(user = UNKNOWN_USER, name) {
    const list = await lists.find(user, name).catch(noneIfMissing);
    if (!list) throw noSuchList();
    return list;
  },

  async create(user, title, submitted) {
    const name = createSlug(title);
    checkListTitle(title, name);
    const list = { name, title, urls: await readFeeds(submitted, rules) };
    if ((await lists.all(user)).length >= MAX_LISTS) {
      throw new Refusal('conflict', `an account may have up to ${MAX_LISTS} podcast lists; delete one first`);
    }
    await lists.create(user, list).catch((error: unknown) => {
      throw isStorageError(error, 'conflict') ? new Refusal('conflict', error.message) : error;
    });
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
      requireFewListFeeds(urls);
      return { urls };
    });
    requireFound(isFound);
  },

  async remove(user, name, url) {
    requireFound(await lists.update(user, name, ({ urls }) => ({ urls: urls.filter((each) => each !== url) })));
  },

  async rename(user, name, title) {
    checkListTitle(title, createSlug(title));
    requireFound(await lists.update(user, name, () => ({ title })));
  },

  async move(user, name, by) {
    requireFound(await lists.move(user, name, by));
  },

  async delete(user, name) {
    requireFound(await lists.delete(user, name));
  },
});
