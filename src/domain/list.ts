import { isLonger } from './count.ts';
import { invalid } from './errors.ts';
import { createSlug, isSlug } from './slug.ts';

/** Feeds in one podcast list. Lists are public, so anyone could make the server work by reading longer ones. */
const MAX_LIST_FEEDS = 1000;
/** Podcast lists in one account. */
export const MAX_LISTS = 1000;
/** Characters. Also the limit of the name derived from a title, which may be longer and must fit in a path. */
const MAX_TITLE = 255;

/** Throws `invalid` if the title of a list, or the name derived from it (`domain/slug`), is invalid (spec 2.8). */
export function checkListTitle(title: string, name: string): void {
  if (isSlug(name) && title.isWellFormed() && !isLonger(title, MAX_TITLE) && !isLonger(name, MAX_TITLE)) return;
  throw invalid(`a title must contain a letter or digit, and at most ${MAX_TITLE} characters`);
}

/** The name of a new list, derived from its title (spec 4.4). Throws `invalid` if the title is invalid. */
export function toListName(title: string): string {
  const name = isLonger(title, MAX_TITLE) ? '' : createSlug(title); // a long one could take hours
  checkListTitle(title, name);
  return name;
}

/** Throws `invalid` for too many feeds in a list. */
export function checkListLength(urls: readonly string[]): void {
  if (urls.length <= MAX_LIST_FEEDS) return;
  throw invalid(`a podcast list may contain up to ${MAX_LIST_FEEDS} feeds; put the rest into another list`);
}
