import { BlockList, isIP } from 'node:net';
import { MAX_BODY } from './body-limits.ts';
import type { Seconds } from './domain/types.ts';
import type { BackupRules } from './services/operations/backups.ts';
import type { DirectoryMode } from './services/directory/directory.ts';
import type { RegistrationMode } from './services/accounts/registration.ts';

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
  /** Who may read `/metrics`, which is disabled otherwise: with this token, or from these networks (`readNetworks`). */
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

/** What `readWebAddress` accepts, for error messages. */
export const WEB_ADDRESS =
  'an http or https address such as https://example.org/podsync, without user, query or fragment';

/** The address of a server, without a trailing slash; undefined if the text is not an address. */
export function readWebAddress(text: string): string | undefined {
  if (!URL.canParse(text) || /[?#]/.test(text)) return undefined;
  const { protocol, username, password, origin, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol) || username || password) return undefined;
  return origin + pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
}

/** What `readNetworks` accepts, for error messages. */
export const NETWORKS = 'IP addresses or networks such as 10.0.0.0/8, separated by commas';

/** A set of addresses; undefined if the text is not one. */
export function readNetworks(text: string): BlockList | undefined {
  const networks = new BlockList();
  for (const each of text.split(',')) {
    const [, address = '', digits] = /^([\d.:a-f]+)(?:\/(\d{1,3}))?$/i.exec(each.trim()) ?? [];
    const longest = isIP(address) === 4 ? 32 : 128;
    const prefix = digits === undefined ? longest : Number(digits);
    if (isIP(address) === 0 || prefix > longest) return undefined;
    networks.addSubnet(address, prefix, longest === 32 ? 'ipv4' : 'ipv6');
  }
  return networks;
}
