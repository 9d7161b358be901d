import { Refusal } from '../domain/errors.ts';
import { checkListTitle } from '../domain/list.ts';
import { createSlug } from '../domain/slug.ts';
import type { ListSummary, PodcastList, UserId } from '../domain/types.ts';
import type { UrlRules } from '../domain/url.ts';
import type { ListStore } from '../storage/stores.ts';
import { sanitizeFeedUrls } from './feed-urls.ts';

export interface Lists {
  /** In the order created. */
  all(user: UserId): Promise<ListSummary[]>;
  /** Throws `missing`. */
  find(user: UserId, name: string): Promise<PodcastList>;
  /**
   * Makes a list, named after its title (spec 4.4). Throws `invalid` for a title without a letter or digit and for URLs
   * of which none can be used, `too-large` for too many; rejects with `conflict` when the user has a list of that name.
   */
  create(user: UserId, title: string, submitted: readonly string[]): Promise<PodcastList>;
  /** Gives a list other podcasts. Throws `invalid`, `too-large` and `missing`, and then nothing changes. */
  replace(user: UserId, name: string, submitted: readonly string[]): Promise<void>;
  /** Throws `missing`. */
  delete(user: UserId, name: string): Promise<void>;
}

const noSuchList = (): Refusal => new Refusal('missing', 'there is no list with this name');

export const createLists = (lists: ListStore, rules: UrlRules): Lists => ({
  all: (user) => lists.all(user),

  async find(user, name) {
    const list = await lists.find(user, name);
    if (!list) throw noSuchList();
    return list;
  },

  async create(user, title, submitted) {
    const name = createSlug(title);
    checkListTitle(title, name);
    const list = { name, title, urls: await sanitizeFeedUrls(submitted, rules) };
    await lists.create(user, list);
    return list;
  },

  async replace(user, name, submitted) {
    if (!(await lists.replace(user, name, await sanitizeFeedUrls(submitted, rules)))) throw noSuchList();
  },

  async delete(user, name) {
    if (!(await lists.delete(user, name))) throw noSuchList();
  },
});
