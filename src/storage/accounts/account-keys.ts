import type { Stamp, UserId } from '../../domain/types.ts';
import type { Key } from '../contract.ts';
import { chunkNumber, padded, type Prefix, urlDigest } from '../keys.ts';

/** Longer texts are cut; a digest keeps them distinct. */
const MAX_TEXT = 300;

/** Encodes a text as a part of a key. Lone surrogates, which UTF-8 cannot represent, become U+FFFD. */
export function escaped(text: string): string {
  const ascii = encodeURIComponent(text.toWellFormed());
  return ascii.length <= MAX_TEXT ? ascii : `${ascii.slice(0, MAX_TEXT)}~${urlDigest(text)}`;
}

/** Digest of a text, for keys. Hashed as JSON, so that lone surrogates stay distinct. */
export const textDigest = (text: string): string => urlDigest(JSON.stringify(text));

/** Names and e-mail addresses share one namespace and are compared without case. */
export const foldLogin = (login: string): string => login.toLowerCase();

export const LOGINS: Prefix = 'n/';
export const loginKey = (login: string): Key => `${LOGINS}${escaped(foldLogin(login))}`;
/** The folded login of a key; encoded if it was cut. */
export function loginIn(key: Key): string {
  const text = key.slice(LOGINS.length);
  return text.length <= MAX_TEXT ? decodeURIComponent(text) : text;
}

/** Accounts that are being removed or imported: invisible, and cleaned up after a crash. */
export const STAGED: Prefix = 'r/';
export const stagedKey = (user: UserId): Key => `${STAGED}${user}`;

/** Granted app logins. */
export const APP_LOGINS: Prefix = 'g/';
export const appLoginKey = (digest: string): Key => `${APP_LOGINS}${escaped(digest)}`;

export const ATTEMPTS: Prefix = 'x/';
export const attemptKey = (key: string): Key => `${ATTEMPTS}${textDigest(key)}`;

export const ACCOUNTS: Prefix = 'u/';
export const accountPrefix = (user: UserId): Prefix => `u/${user}/`;
/** See `Head`. */
export const headKey = (user: UserId): Key => `u/${user}/head`;
export const devicesPrefix = (user: UserId): Prefix => `u/${user}/devices/`;

/** Subscriptions of all devices, by device number. */
export const subscriptionsPrefix = (user: UserId): Prefix => `u/${user}/subscriptions/`;
/** The whole list of a device, in chunks. */
export const subscriptionListPrefix = (user: UserId, device: number): Prefix =>
  `${subscriptionsPrefix(user)}${chunkNumber(device)}/list/`;
/** Changes since the list was written. */
export const subscriptionLogKey = (user: UserId, device: number, stamp: Stamp): Key =>
  `${subscriptionsPrefix(user)}${chunkNumber(device)}/log/${padded(stamp)}`;

export const servedMarksKey = (user: UserId, device: string): Key => `u/${user}/served/${textDigest(device)}`;
export const refusalsKey = (user: UserId): Key => `u/${user}/refusals`;

export const settingsPrefix = (user: UserId): Prefix => `u/${user}/settings/`;
/** Names and titles of the podcast lists. */
export const listsKey = (user: UserId): Key => `u/${user}/lists`;
/** Feeds of all lists. */
export const listsPrefix = (user: UserId): Prefix => `u/${user}/lists/`;
export const listPrefix = (user: UserId, name: string): Prefix => `${listsPrefix(user)}${textDigest(name)}/`;

export const actionsPrefix = (user: UserId): Prefix => `l/${user}/`;
/** One chunk of the actions of an upload; without a chunk, the key before the first. */
export const actionsKey = (user: UserId, stamp: Stamp, chunk?: number): Key =>
  `${actionsPrefix(user)}${padded(stamp)}/${chunk === undefined ? '' : chunkNumber(chunk)}`;
