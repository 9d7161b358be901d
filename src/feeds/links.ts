import type { Url } from '../domain/types.ts';
import { MAX_URL, sanitizeMediaUrl } from '../domain/url.ts';

/**
 * Media URL as apps see and send it, or `""`: an absolute one is left as it is written but for what sanitizing does
 * (non-ASCII percent-encoded), as an action is found by it (spec 2.7).
 */
export function mediaUrl(written: string, base: string): Url | '' {
  const text = written.replace(/[\t\r\n]/g, '').trim();
  if (text === '' || text.length > MAX_URL) return '';
  const absolute = /^https?:\/\//i.test(text) ? text : resolveUrl(text, base);
  return sanitizeMediaUrl(absolute);
}

/** Address of a page or a picture, or `""` when it is not http(s). Credentials are dropped: it is shown to everyone. */
export function pageUrl(written: string, base: string): string {
  const text = written.trim();
  if (text === '' || text.length > MAX_URL || !URL.canParse(text, base)) return '';
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return '';
  url.username = '';
  url.password = '';
  return url.href.length > MAX_URL ? '' : url.href;
}

/** A link resolved against another, as browsers do; unchanged when it cannot be. */
export const resolveUrl = (written: string, base: string): string =>
  URL.canParse(written, base) ? new URL(written, base).href : written;
