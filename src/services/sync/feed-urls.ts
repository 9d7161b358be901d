import { invalid } from '../../domain/errors.ts';
import { checkFeedCount, sanitizeFeedUrl, type UrlRules } from '../../domain/url.ts';
import type { Url } from '../../domain/types.ts';
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
  if (submitted.length === 1) throw invalid(explainRefusal(submitted[0]!));
  throw invalid('none of these URLs can be used; a feed URL begins with http:// or https://');
}

/** Why an address cannot be used as that of a feed. */
export function explainRefusal(address: string): string {
  if (address === '') return 'the address is empty';
  if (!/^https?:\/\//i.test(address)) return 'a feed address begins with http:// or https://';
  if (/\p{Cc}/u.test(address)) return 'it contains a control character';
  return 'its host or port is invalid, or it is too long';
}
