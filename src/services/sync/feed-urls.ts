import { invalid } from '../../domain/errors.ts';
import type { Url } from '../../domain/types.ts';
import { checkFeedCount, MAX_URL, sanitizeFeedUrl, type UrlRules } from '../../domain/url.ts';
import { eachInSlices } from '../../slices.ts';

/**
 * The usable URLs of a list, without duplicates. Throws `invalid` if the list is not empty but no URL is usable, and
 * `too-large` as `checkFeedCount` does.
 */
export async function sanitizeFeedUrls(submitted: readonly string[], rules: UrlRules): Promise<Url[]> {
  checkFeedCount(submitted);
  const urls = new Set<Url>();
  await eachInSlices(submitted, (url) => urls.add(sanitizeFeedUrl(url, rules)));
  urls.delete('');
  if (urls.size > 0 || submitted.length === 0) return [...urls];
  const reason = explainRefusal(submitted[0]!);
  throw invalid(submitted.length === 1 ? reason : `none of these feeds can be used; the first one: ${reason}`);
}

/** Why an address cannot be used as that of a feed. */
export function explainRefusal(address: string): string {
  const text = address.trim();
  if (text === '') return 'the address is empty';
  if (!/^https?:\/\//i.test(text)) return 'a feed address must begin with http:// or https://';
  if (/\p{Cc}/u.test(text)) return 'the address contains a control character';
  return `the host or port of the address is invalid, or the address has more than ${MAX_URL} characters`;
}
