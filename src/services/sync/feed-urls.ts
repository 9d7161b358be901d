import { invalid } from '../../domain/errors.ts';
import { requireFewFeeds, sanitizeFeedUrl, type UrlRules } from '../../domain/url.ts';
import type { Url } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';

/**
 * The usable ones of a whole list, each once. Throws `invalid` when there are some and none can, `too-large` as
 * `requireFewFeeds` does.
 */
export async function sanitizeFeedUrls(submitted: readonly string[], rules: UrlRules): Promise<Url[]> {
  requireFewFeeds(submitted);
  const urls = new Set<Url>();
  await eachInSlices(submitted, (url) => urls.add(sanitizeFeedUrl(url, rules)));
  urls.delete('');
  if (urls.size > 0 || submitted.length === 0) return [...urls];
  throw invalid('none of these URLs can be used; a feed URL begins with http:// or https://');
}
