import { logoHash, NO_LOGO } from '../../domain/logo.ts';
import type { Url } from '../../domain/types.ts';

/*
 * Addresses for links. `base` is the public address of the server; names in them are percent-encoded.
 */

const encode = encodeURIComponent;

const withNext = (page: string, next: string): string => (next === '/' ? page : `${page}?next=${encode(next)}`);

/** Where a user signs in. `next`: path below `base` to continue with. */
export const loginPage = (base: string, next = '/'): string => withNext(`${base}/login`, next);

/** Where an account is created. `next`: path below `base` to continue with. */
export const registerPage = (base: string, next = '/'): string => withNext(`${base}/register`, next);

/** The page of a one-time link for choosing a password. */
export const passwordLinkPage = (base: string, token: string): string => `${base}/welcome/${encode(token)}`;

/** Where a user grants an app access. */
export const authorizePage = (base: string, flow: string): string => `${base}/authorize?flow=${encode(flow)}`;

/** The page of a podcast on the site. */
export const podcastPage = (base: string, podcast: Url): string => `${base}/podcast?url=${encode(podcast)}`;

/** The podcasts with a tag. */
export const tagPage = (base: string, tag: string): string => `${base}/directory?tag=${encode(tag)}`;

/** The page of an episode on the site. */
export const episodePage = (base: string, podcast: Url, episode: Url): string =>
  `${base}/episode?podcast=${encode(podcast)}&url=${encode(episode)}`;

/** The page of a list on the site. */
export const listPage = (base: string, user: string, name: string): string =>
  `${base}/user/${encode(user)}/lists/${encode(name)}`;

/** The same for its owner, who can edit it there. */
export const ownListPage = (base: string, name: string): string => `${base}/lists/${encode(name)}`;

/** The public subscriptions of a user, for podcast apps. */
export const sharedSubscriptions = (base: string, user: string): string =>
  `${base}/user/${encode(user)}/subscriptions.opml`;

/** All subscriptions of a user, only for that user. */
export const ownSubscriptions = (base: string, user: string, format: string): string =>
  `${base}/subscriptions/${encode(user)}.${format}`;

/** The list in the interface for apps. */
export const listResource = (base: string, user: string, name: string, format: string): string =>
  `${base}/api/2/lists/${encode(user)}/list/${encode(name)}.${format}`;

/** A logo scaled to this size in pixels; the built-in one if there is none. */
export const scaledLogo = (base: string, size: number, logoUrl: string | null): string =>
  `${base}/logo/${size}/${logoUrl === null ? NO_LOGO : logoHash(logoUrl)}`;

/** The page of one of the owner's devices, or the form `/remove` on it. */
export const devicePage = (base: string, id: string, form = ''): string => `${base}/device${form}?id=${encode(id)}`;

/** Filters of the history. Dates are `YYYY-MM-DD`. */
export interface HistoryQuery {
  podcast?: string | undefined;
  device?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** A page of the owner's history; with a format, a download of it. */
export function historyPage(base: string, query: HistoryQuery, format?: 'csv' | 'json'): string {
  const given = Object.entries(query).filter(([, value]) => value);
  const search = new URLSearchParams(given as [string, string][]).toString();
  return `${base}/history${format ? `.${format}` : ''}${search && `?${search}`}`;
}
