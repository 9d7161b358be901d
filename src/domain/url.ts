import { domainToASCII } from 'node:url';
import { Refusal } from './errors.ts';
import type { Url } from './types.ts';

/*
 * Clients ignore `update_urls`, so every rewrite may cause a duplicate subscription: as little as possible is
 * rewritten. Path and query stay byte for byte the same, apart from the rules below; an existing %XX is never decoded
 * or encoded again. Sanitizing is pure and idempotent.
 */

/** Characters. Longer URLs are unusable. Counted after rewriting, so that the rule is idempotent. */
export const MAX_URL = 8192;

const URL_PARTS = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- everything outside ASCII
const NON_ASCII = /[^\u0000-\u007f]/;
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
/** Matches most URLs, which need no rewriting: a fast path, as an upload may have thousands. */
const CLEAN = /^https?:\/\/[a-z0-9._-]+\/(?:[!"$-~]*[!"$->@-~])?$/;
/** Characters. DNS names are not longer, and converting a name takes quadratic time. */
const MAX_HOST = 253;
const DEFAULT_PORTS: Record<string, number> = { http: 80, https: 443 };

export interface UrlRules {
  /** For episode uploads: a URL with non-ASCII characters is unusable (spec 4.8 rule 2). Otherwise they are encoded. */
  ascii?: boolean;
  /** Keep `user:pass@`. Otherwise it is removed from feed URLs, because lists are shared. */
  keepCredentials?: boolean;
}

/**
 * A feed URL as it is stored and compared, or `""` if it is unusable: not http(s), no host, control characters inside,
 * too long (spec 4.3 rules 2 and 3).
 */
export const sanitizeFeedUrl = (submitted: string, rules: UrlRules = {}): Url | '' => sanitize(submitted, rules);

/** More than anyone listens to. All other requests wait while they are stored. */
const MAX_FEEDS = 20_000;

/**
 * Throws `too-large` for too many distinct feeds in one upload. It does not suggest a second upload: after a whole list,
 * that would remove the feeds of the first.
 */
export function checkFeedCount(urls: readonly string[]): void {
  if (urls.length <= MAX_FEEDS) return;
  const count = new Set(urls).size;
  if (count > MAX_FEEDS) {
    throw new Refusal('too-large', `an upload may have up to ${MAX_FEEDS} feeds; this one has ${count}`);
  }
}

/** Masks the credentials in a URL, which need not be sanitized, so that it can be shown. */
export const redactUrl = (address: string): string => address.replace(/\/\/[^/?#]*@/, '//***@');

/** Whether a sanitized URL contains `user:pass@`, which belongs to the user alone. */
export const hasCredentials = (url: Url): boolean => /^https?:\/\/[^/?#]*@/.test(url);

/** Whether `user:pass@` of a submitted address is missing in the URL under which it is stored. */
export const lostCredentials = (submitted: string, url: Url): boolean =>
  /^[^/?#]+\/\/[^/?#]+@/.test(submitted) && !hasCredentials(url);

/** The host of a sanitized URL, and its port unless it is the default. Faster than `URL`: many feeds may be due. */
export const hostOf = (url: Url): string => /^https?:\/\/(?:[^/]*@)?([^/]*)/.exec(url)?.[1] ?? '';

/** A media URL as it is stored and compared, with its credentials; or `""` if it is unusable, as for feeds. */
export const sanitizeMediaUrl = (submitted: string, { ascii = false }: Pick<UrlRules, 'ascii'> = {}): Url | '' =>
  sanitize(submitted, { ascii, keepCredentials: true });

function sanitize(submitted: string, { ascii = false, keepCredentials = false }: UrlRules): Url | '' {
  if (submitted.length <= MAX_URL && CLEAN.test(submitted)) return submitted;
  const text = submitted.trim();
  if (text.length > MAX_URL || CONTROL.test(text) || !text.isWellFormed()) return '';
  if (ascii && NON_ASCII.test(text)) return '';
  const parts = URL_PARTS.exec(text);
  if (!parts) return '';
  const scheme = parts[1]!.toLowerCase();
  const authority = sanitizeAuthority(parts[2]!, scheme, keepCredentials);
  if (authority === '') return '';
  const path = encode(parts[3] || '/');
  const query = parts[4] ? `?${encode(parts[4])}` : '';
  const url = `${scheme}://${authority}${path}${query}`;
  return url.length > MAX_URL ? '' : url;
}

function sanitizeAuthority(authority: string, scheme: string, keepCredentials: boolean): string {
  const at = authority.lastIndexOf('@');
  const credentials = at > 0 && keepCredentials ? encode(authority.slice(0, at + 1)) : '';
  const [, name = '', port = ''] = /^(.*?)(?::(\d*))?$/s.exec(authority.slice(at + 1))!;
  const isInternational = NON_ASCII.test(name);
  if (isInternational && name.length > MAX_HOST) return '';
  const host = isInternational ? domainToASCII(name) : name.toLowerCase();
  if (!HOST.test(host)) return '';
  if (port === '' || Number(port) === DEFAULT_PORTS[scheme]) return credentials + host;
  return Number(port) <= 65535 ? `${credentials}${host}:${port}` : '';
}

/** Percent-encodes spaces and non-ASCII characters as UTF-8, and nothing else. */
const encode = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- see NON_ASCII
  text.replace(/(?: |[^\u0000-\u007f])+/g, encodeURIComponent);

/** Decodes percent-encoding; a text with an invalid encoding stays unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A URL with each escape decoded, byte by byte: the same for two that differ only in their escapes. For comparisons. */
export const decodeEscapes = (url: Url): string =>
  url.replace(/%([0-9a-f]{2})/gi, (_escape, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));

/**
 * `[submitted, rewritten or ""]` for each URL that was rewritten or is unusable, once, in the submitted order (spec
 * 2.6).
 */
export type UrlRewrites = [string, Url | ''][];

/** Collects the rewrites of one upload. */
export interface RewriteLog {
  readonly pairs: UrlRewrites;
  /** Records the result for a submitted URL, and returns it. */
  add(submitted: string, url: Url | ''): Url | '';
}

/** A log that has each URL once, in the submitted order (spec 2.6). */
export function createRewriteLog(): RewriteLog {
  const seen = new Set<string>();
  const pairs: UrlRewrites = [];
  return {
    pairs,
    add(submitted, url) {
      if ((submitted !== url || url === '') && !seen.has(submitted)) {
        seen.add(submitted);
        pairs.push([submitted, url]);
      }
      return url;
    },
  };
}
