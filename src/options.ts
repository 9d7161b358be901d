import { MAX_BODY } from './body-limits.ts';
import type { Seconds } from './domain/types.ts';

/** Who may create an account on the website: anybody, or only the very first user. */
export type RegistrationMode = 'open' | 'closed';

/** Who may see the directory: everybody, users with an account, or nobody. */
export type DirectoryMode = 'public' | 'members' | 'off';

export interface BackupRules {
  /** Where they are written; created if it does not exist. */
  readonly folder: string;
  readonly every: Seconds;
  /** How many are kept; at least 1. */
  readonly keep: number;
}

/** Options of podsync, both as a standalone server and embedded in another program. Each part picks what it needs. */
export interface Options {
  /** Data folder; it must exist. */
  readonly data: string;
  /** Storage plugin and location: `json`, `./plugin.js:...` (from the working directory). May contain a password. */
  readonly storage: string;
  /** Public address without a trailing slash, such as `https://host/sub`; undefined: taken from each request. */
  readonly baseUrl?: string;
  /** Whether a proxy in front sets `X-Forwarded-*`. Without one, any client could send these headers. */
  readonly trustProxy: boolean;
  /** Largest request body, in bytes. */
  readonly maxBody: number;
  /** For how long uploads of two devices count as overlapping. */
  readonly syncOverlap: Seconds;
  /** Keep `user:pass@` in feed URLs. */
  readonly keepUrlCredentials: boolean;
  /** Who may create an account on the website; the first account can be created with a link either way. */
  readonly registration: RegistrationMode;
  /** Whether new accounts keep one subscription list on all devices. */
  readonly syncDevices: boolean;
  /** Who may see the directory and search it, and see profiles and the pages of podcasts. */
  readonly directory: DirectoryMode;
  /** Whether feeds and logos are fetched; otherwise podsync makes no outgoing connections. */
  readonly fetch: boolean;
  /** Whether they may be fetched from addresses that are not public. */
  readonly allowPrivateFeeds: boolean;
  /** Scheduled backups; undefined: none. */
  readonly backups?: BackupRules | undefined;
  /** Who may read `/metrics`, which is disabled otherwise: with this token, or from these networks, separated by commas. */
  readonly metrics?: { readonly token?: string; readonly allow?: string };
}

export const DEFAULTS: Omit<Options, 'data'> = {
  storage: 'json',
  trustProxy: false,
  maxBody: MAX_BODY.upload,
  syncOverlap: 120,
  keepUrlCredentials: false,
  registration: 'closed',
  syncDevices: false,
  directory: 'public',
  fetch: true,
  allowPrivateFeeds: false,
};
