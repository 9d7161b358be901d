import { domainToASCII } from 'node:url';
import { Refusal } from './errors.ts';
import type { Url } from './types.ts';

/*
 * Clients ignore `update_urls`, so every rewrite can become a doubled subscription: as little as possible is rewritten.
 * Path and query stay byte for byte but for what follows; an existing %XX is never decoded or encoded again.
 * Everything here is pure and idempotent.
 */

/** Longer URLs are unusable. Characters, counted after rewriting so that the rule stays idempotent. */
export const MAX_URL = 8192;

const SHAPE = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- everything outside ASCII
const NON_ASCII = /[^\u0000-\u007f]/;
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
/** Matches most URLs, in which there is nothing to rewrite: one quick look, as an upload may bring thousands. */
const CLEAN = /^https?:\/\/[a-z0-9._-]+\/(?:[!"$-~]*[!"$->@-~])?$/;
/** Characters. DNS has no longer names, and to convert one takes as long as the square of its length. */
const MAX_HOST = 253;
const DEFAULT_PORTS: Record<string, number> = { http: 80, https: 443 };

export interface UrlRules {
  /** Episode uploads: a URL with a character outside ASCII is unusable (spec 4.8 rule 2); else that is encoded. */
  ascii?: boolean;
  /** Keep `user:pass@`; feed URLs lose it otherwise, because lists are shared. */
  keepCredentials?: boolean;
}

/**
 * Feed URL as it is stored and compared, or `""` when it cannot be used: not http(s), no host, inner control
 * characters, too long (spec 4.3 rules 2 and 3).
 */
export const sanitizeFeedUrl = (submitted: string, rules: UrlRules = {}): Url | '' => sanitize(submitted, rules);

/** More than anybody listens to. While they are stored everybody else waits. */
const MAX_FEEDS = 20_000;

/** Throws `too-large` for more feeds than one upload may bring, each counted once. */
export function requireFewFeeds(urls: readonly string[]): void {
  if (urls.length > MAX_FEEDS && new Set(urls).size > MAX_FEEDS) {
    throw new Refusal('too-large', `an upload may bring up to ${MAX_FEEDS} feeds; send the rest in another one`);
  }
}

/** An address, sanitized or not, as it may be shown: without the password that is in it. */
export const redactUrl = (address: string): string => address.replace(/\/\/[^/?#]*@/, '//***@');

/** Whether there is a `user:pass@` in a sanitized URL, which is nobody's but the user's. */
export const hasCredentials = (url: Url): boolean => /^https?:\/\/[^/?#]*@/.test(url);

/** Media URL of an episode as it is stored and compared, or `""` as of a feed. Its credentials belong to it. */
export const sanitizeMediaUrl = (submitted: string, { ascii = false }: Pick<UrlRules, 'ascii'> = {}): Url | '' =>
  sanitize(submitted, { ascii, keepCredentials: true });

function sanitize(submitted: string, { ascii = false, keepCredentials = false }: UrlRules): Url | '' {
  if (submitted.length <= MAX_URL && CLEAN.test(submitted)) return submitted;
  const text = submitted.trim();
  if (text.length > MAX_URL || CONTROL.test(text) || !text.isWellFormed()) return '';
  if (ascii && NON_ASCII.test(text)) return '';
  const parts = SHAPE.exec(text);
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
  const isForeign = NON_ASCII.test(name);
  if (isForeign && name.length > MAX_HOST) return '';
  const host = isForeign ? domainToASCII(name) : name.toLowerCase();
  if (!HOST.test(host)) return '';
  if (port === '' || Number(port) === DEFAULT_PORTS[scheme]) return credentials + host;
  return Number(port) <= 65535 ? `${credentials}${host}:${port}` : '';
}

/** Blanks and everything outside ASCII as percent-encoded UTF-8, the rest untouched. */
const encode = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- see NON_ASCII
  text.replace(/(?: |[^\u0000-\u007f])+/g, encodeURIComponent);

/** `[submitted, rewritten or ""]` for each URL that changed or cannot be used, once, in the order submitted (spec 2.6). */
export type UrlRewrites = [string, Url | ''][];

/** Collects the rewrites of one upload. */
export interface RewriteLog {
  readonly pairs: UrlRewrites;
  /** Takes note of what became of a URL, and answers it. */
  note(submitted: string, url: Url | ''): Url | '';
}

/** A log that tells each URL once, in the order submitted (spec 2.6). */
export function createRewriteLog(): RewriteLog {
  const seen = new Set<string>();
  const pairs: UrlRewrites = [];
  return {
    pairs,
    note(submitted, url) {
      if ((submitted !== url || url === '') && !seen.has(submitted)) {
        seen.add(submitted);
        pairs.push([submitted, url]);
      }
      return url;
    },
  };
}
