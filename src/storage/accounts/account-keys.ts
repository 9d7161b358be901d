import type { Stamp, UserId } from '../../domain/types.ts';
import type { Key } from '../contract.ts';
import { chunkNumber, padded, type Prefix, urlDigest } from '../keys.ts';

/*
 * The keys of accounts. DIGEST is that of a token or a text, such as the name of a list; DEVICE is a number.
 *
 *   n/LOGIN                                   the account with this name or e-mail address
 *   s/DIGEST                                  a session: `StoredSession`
 *   w/DIGEST                                  an app password: `AppPassword`
 *   g/DIGEST                                  a granted app login: `StoredLogin`
 *   x/DIGEST                                  attempts, if several processes share the store: `Attempts`
 *   r/USER                                    an account that is being removed or imported is invisible: `StagedWriter`
 *   u/USER/head                               `Head`
 *   u/USER/devices/CHUNK                      `DeviceRow[]`
 *   u/USER/subscriptions/DEVICE/list/CHUNK    the whole list of a device: `StoredRow[]`
 *   u/USER/subscriptions/DEVICE/log/STAMP     changes since the list was written: `StoredRow[]`
 *   u/USER/settings/KIND/DIGEST/DIGEST        a setting, by its scope and its key: `StoredSetting`
 *   u/USER/lists                              names and titles of the podcast lists: `ListSummary[]`
 *   u/USER/lists/DIGEST/CHUNK                 the feeds of a list: `Url[]`
 *   u/USER/served/DIGEST                      the marks served to a device: `StoredMarks`
 *   u/USER/refusals                           `RefusedRequest[]`
 *   u/USER/sessions/DIGEST                    index of the sessions; app-passwords/DIGEST: of the app passwords
 *   l/USER/STAMP/CHUNK                        the episode actions of an upload: `ActionColumns`
 */

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

export const STAGED: Prefix = 'r/';
export const stagedKey = (user: UserId): Key => `${STAGED}${user}`;

export const APP_LOGINS: Prefix = 'g/';
export const appLoginKey = (digest: string): Key => `${APP_LOGINS}${escaped(digest)}`;

export const ATTEMPTS: Prefix = 'x/';
export const attemptKey = (key: string): Key => `${ATTEMPTS}${textDigest(key)}`;

export const ACCOUNTS: Prefix = 'u/';
export const accountPrefix = (user: UserId): Prefix => `u/${user}/`;
export const headKey = (user: UserId): Key => `u/${user}/head`;
export const devicesPrefix = (user: UserId): Prefix => `u/${user}/devices/`;

export const subscriptionsPrefix = (user: UserId): Prefix => `u/${user}/subscriptions/`;
export const subscriptionListPrefix = (user: UserId, device: number): Prefix =>
  `${subscriptionsPrefix(user)}${chunkNumber(device)}/list/`;
export const subscriptionLogKey = (user: UserId, device: number, stamp: Stamp): Key =>
  `${subscriptionsPrefix(user)}${chunkNumber(device)}/log/${padded(stamp)}`;

export const servedMarksKey = (user: UserId, device: string): Key => `u/${user}/served/${textDigest(device)}`;
export const refusalsKey = (user: UserId): Key => `u/${user}/refusals`;

export const settingsPrefix = (user: UserId): Prefix => `u/${user}/settings/`;
export const listsKey = (user: UserId): Key => `u/${user}/lists`;
export const listsPrefix = (user: UserId): Prefix => `u/${user}/lists/`;
export const listPrefix = (user: UserId, name: string): Prefix => `${listsPrefix(user)}${textDigest(name)}/`;

export const actionsPrefix = (user: UserId): Prefix => `l/${user}/`;
/** One chunk of the actions of an upload; without a chunk, the key before the first. */
export const actionsKey = (user: UserId, stamp: Stamp, chunk?: number): Key =>
  `${actionsPrefix(user)}${padded(stamp)}/${chunk === undefined ? '' : chunkNumber(chunk)}`;
