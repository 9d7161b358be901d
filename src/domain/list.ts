import { isLonger } from './count.ts';
import { invalid } from './errors.ts';
import { isSlug } from './slug.ts';

/** Feeds in a podcast list. Anybody can read a list, so a longer one would be work for the server at anybody's request. */
const MAX_LIST_FEEDS = 1000;
/** Podcast lists of one account. */
export const MAX_LISTS = 1000;
/** Characters; of the name that is made of it, too, which may be longer and has to fit in a path. */
const MAX_TITLE = 255;

/** Throws `invalid` for a title, or a name made of it (see `domain/slug`), that no list can have (spec 2.8). */
export function checkListTitle(title: string, name: string): void {
  if (isSlug(name) && !isLonger(title, MAX_TITLE) && !isLonger(name, MAX_TITLE)) return;
  throw invalid(`"title" must have a letter or digit, and up to ${MAX_TITLE} characters`);
}

/** Throws `invalid` for more feeds than a list may hold. */
export function requireFewListFeeds(urls: readonly string[]): void {
  if (urls.length <= MAX_LIST_FEEDS) return;
  throw invalid(`a podcast list may hold up to ${MAX_LIST_FEEDS} feeds; put the rest into another list`);
}
