import { invalid } from '../../domain/errors.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl } from '../../domain/url.ts';

/** Accepts credentials: a server's rule on them applies only to uploads. */
export function requireFeedUrl(url: string): void {
  if (url === '' || sanitizeFeedUrl(url, { keepCredentials: true }) !== url) throw invalid(UNUSABLE);
}

export function requireMediaUrl(url: string): void {
  if (url === '' || sanitizeMediaUrl(url) !== url) throw invalid(UNUSABLE);
}

export const UNUSABLE = 'it contains an address that podsync would not store: they begin with http:// or https://';
