import { invalid } from '../../domain/errors.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl } from '../../domain/url.ts';

/** With credentials or not: whether a server keeps them, is a matter of what is uploaded to it. */
export function requireFeedUrl(url: string): void {
  if (url === '' || sanitizeFeedUrl(url, { keepCredentials: true }) !== url) throw invalid(UNUSABLE);
}

export function requireMediaUrl(url: string): void {
  if (url === '' || sanitizeMediaUrl(url) !== url) throw invalid(UNUSABLE);
}

export const UNUSABLE = 'an address in it is not one as podsync stores them: they begin with http:// or https://';
