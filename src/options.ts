import { MAX_BODY } from './body-limits.ts';
import type { Seconds } from './domain/types.ts';
import type { RegistrationMode } from './services/accounts/registration.ts';
import type { DirectoryMode } from './services/directory/directory.ts';
import type { BackupRules } from './services/operations/backups.ts';

/** Options of podsync, both as a standalone server and embedded in another program. */
export interface Options {
  /** Data folder; it must exist. */
  readonly data: string;
  /** Storage plugin and location: `json`, `./plugin.js:...` (from the working directory). May contain a password. */
  readonly storage: string;
  /** Public address of the server, such as `https://host/sub`. */
  readonly baseUrl?: string;
  /** Whether to trust `X-Forwarded-*` headers. */
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
  /** Who may see the directory, search and pages: everybody, users with an account, or nobody. */
  readonly directory: DirectoryMode;
  /** Whether feeds and logos are fetched; otherwise podsync makes no outgoing connections. */
  readonly fetch: boolean;
  /** Whether they may be fetched from addresses that are not public. */
  readonly allowPrivateFeeds: boolean;
  /** Scheduled backups; undefined: none. */
  readonly backups?: BackupRules;
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
