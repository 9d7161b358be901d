import { isLonger } from './count.ts';
import { invalid } from './errors.ts';
import { isSlug } from './slug.ts';

/** Feeds in one podcast list. Lists are public, so anyone could make the server work by reading longer ones. */
const MAX_LIST_FEEDS = 1000;
/** Podcast lists in one account. */
export const MAX_LISTS = 1000;
/** Characters. Also the limit of the name derived from a title, which may be longer and must fit in a path. */
const MAX_TITLE = 255;

/** Throws `invalid` if the title of a list, or the name derived from it (`domain/slug`), is invalid (spec 2.8). */
export function checkListTitle(title: string, name: string): void {
  if (isSlug(name) && !isLonger(title, MAX_TITLE) && !isLonger(name, MAX_TITLE)) return;
  throw invalid(`a title must have a letter or digit, and up to ${MAX_TITLE} characters`);
}

/** Throws `invalid` for too many feeds in a list. */
export function checkListLength(urls: readonly string[]): void {
  if (urls.length <= MAX_LIST_FEEDS) return;
  throw invalid(`a podcast list may contain up to ${MAX_LIST_FEEDS} feeds; put the rest into another list`);
}
