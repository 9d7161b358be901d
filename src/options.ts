import type { Seconds } from './domain/types.ts';
import type { DirectoryMode } from './services/directory/directory.ts';
import type { RegistrationMode } from './services/accounts/registration.ts';

/** What podsync does, in a server of its own or as a part of another program. */
export interface Options {
  /** Data folder; it exists. */
  readonly data: string;
  /** Storage plugin and its place: `json`, `./plugin.js:...` (from the working directory). May hold a password. */
  readonly storage: string;
  /** How the outside reaches the server, such as `https://host/sub`. */
  readonly baseUrl?: string;
  /** Whether `X-Forwarded-*` counts. */
  readonly trustProxy: boolean;
  /** Largest request body, in bytes. */
  readonly maxBody: number;
  /** How long another device's upload counts as overlapping an upload. */
  readonly syncOverlap: Seconds;
  /** Keep `user:pass@` in feed URLs. */
  readonly keepUrlCredentials: boolean;
  /** Who may make an account on the website; the first one can be made with a link either way. */
  readonly registration: RegistrationMode;
  /** Whether the devices of new accounts follow each other. */
  readonly syncDevices: boolean;
  /** Who may see the directory, search and pages: everybody, whoever has an account, or nobody. */
  readonly directory: DirectoryMode;
  /** Whether feeds and logos are fetched: nobody is connected to otherwise. */
  readonly fetch: boolean;
  /** Whether they may lie on addresses that are not public. */
  readonly allowPrivateFeeds: boolean;
}

export const DEFAULTS: Omit<Options, 'data'> = {
  storage: 'json',
  trustProxy: false,
  maxBody: 16 * 1024 * 1024,
  syncOverlap: 120,
  keepUrlCredentials: false,
  registration: 'closed',
  syncDevices: false,
  directory: 'public',
  fetch: true,
  allowPrivateFeeds: false,
};

/** What an address must be, see `readWebAddress`. */
export const WEB_ADDRESS =
  'an http or https address such as https://example.org/podsync, without user, query or fragment';

/** The address of a server, without a slash at the end; undefined where the text is none. */
export function readWebAddress(text: string): string | undefined {
  if (!URL.canParse(text) || /[?#]/.test(text)) return undefined;
  const { protocol, username, password, origin, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol) || username || password) return undefined;
  return origin + pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
}
