import { Refusal } from '../domain/errors.ts';
import { checkListTitle, MAX_LISTS, requireFewListFeeds } from '../domain/list.ts';
import { createSlug } from '../domain/slug.ts';
import type { ListSummary, PodcastList, Url, UserId } from '../domain/types.ts';
import type { UrlRules } from '../domain/url.ts';
import { isStorageError } from '../storage/errors.ts';
import type { ListStore } from '../storage/stores.ts';
import { NOBODY } from './accounts.ts';
import { sanitizeFeedUrls } from './feed-urls.ts';

export interface Lists {
  /** In the order created; none of a user who does not exist. */
  all(user: UserId | undefined): Promise<ListSummary[]>;
  /** Throws `missing`, the same where there is no such user. */
  find(user: UserId | undefined, name: string): Promise<PodcastList>;
  /**
   * Makes a list, named after its title (spec 4.4). Throws `invalid` for a title without a letter or digit and for URLs
   * of which none can be used or that are too many, `conflict` when the user has too many lists; rejects with `conflict`
   * when the user has a list of that name.
   */
  create(user: UserId, title: string, submitted: readonly string[]): Promise<PodcastList>;
  /** Gives a list other podcasts. Throws `invalid` and `missing`, and then nothing changes. */
  replace(user: UserId, name: string, submitted: readonly string[]): Promise<void>;
  /** Throws `missing`. */
  delete(user: UserId, name: string): Promise<void>;
}

const noSuchList = (): Refusal => new Refusal('missing', 'there is no list with this name');

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
  async all(user = NOBODY) {
    return (await lists.all(user).catch(noneIfMissing)) ?? [];
  },

  async find(user = NOBODY, name) {
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
    await lists.create(user, list);
    return list;
  },

  async replace(user, name, submitted) {
    if (!(await lists.replace(user, name, await readFeeds(submitted, rules)))) throw noSuchList();
  },

  async delete(user, name) {
    if (!(await lists.delete(user, name))) throw noSuchList();
  },
});
