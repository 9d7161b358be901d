import type { Url } from '../domain/types.ts';
import { MAX_URL, sanitizeMediaUrl } from '../domain/url.ts';

/**
 * A media URL as apps see and send it, or `""` if it is unusable. An absolute URL stays as written, apart from
 * sanitizing (which percent-encodes non-ASCII characters), because actions refer to it (spec 2.7).
 */
export function mediaUrl(written: string, base: string): Url | '' {
  const text = written.replace(/[\t\r\n]/g, '').trim();
  if (text === '' || text.length > MAX_URL) return '';
  const absolute = /^https?:\/\//i.test(text) ? text : resolveUrl(text, base);
  return sanitizeMediaUrl(absolute);
}

/**
 * URL of a page or an image, or `""` if it is not http(s). `www.example.org` without a scheme is the name of a server.
 * Credentials are removed, as it is shown to everyone.
 */
export function pageUrl(written: string, base: string): string {
  const text = written.trim().replace(/^(?=www\.)/i, 'http://');
  if (text === '' || !URL.canParse(text, base)) return '';
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return '';
  url.username = '';
  url.password = '';
  return url.href.length > MAX_URL ? '' : url.href;
}

/** Resolves a link against a base as browsers do; a link that cannot be resolved is returned unchanged. */
export const resolveUrl = (written: string, base: string): string =>
  URL.canParse(written, base) ? new URL(written, base).href : written;
