import { resolve } from 'node:path';
import { Option, type OptionValues } from 'commander';
import { DEFAULTS, type Options, readWebAddress, WEB_ADDRESS } from './options.ts';

/** What flags and `PODSYNC_*` variables decide, flags first. `data` is absolute, and need not exist yet. */
export interface Config extends Options {
  readonly host: string;
  /** 0 is any free one. */
  readonly port: number;
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Options that do not make sense: exit code 2. The message says which, and what they must be. */
export class UsageError extends Error {}

/** A kind of value: `read` answers undefined for any other text, `description` says what it must be. */
interface Kind<Value> {
  read(text: string): Value | undefined;
  description: string;
}

const whole = (max: number): Kind<number> => ({
  read: (text) => (/^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
  description: `a whole number from 0 to ${max}`,
});

const text: Kind<string> = { read: (given) => given || undefined, description: 'a text that is not empty' };

// A shell does not expand `~` after `=`, nor does systemd: a folder of that name would be created.
const folder: Kind<string> = {
  read: (given) => (/^~(?:\/|$)/.test(given) ? undefined : given || undefined),
  description: 'a folder, with the path of the home folder instead of ~',
};

// What listhen takes; given any other host, it would listen on one of its own choice.
const host: Kind<string> = {
  read: (given) => (/^(?!-)[\d.:A-Za-z-]{1,63}(?<!-)$/.test(given) ? given : undefined),
  description: 'an IP address or a host name',
};

const MAX_BODY_LIMIT = 256 * 1024 * 1024;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2 };

const bytes: Kind<number> = {
  read(given) {
    const [, digits = '', unit = ''] = /^(\d{1,9})(?:([km])(?:ib)?)?$/i.exec(given) ?? [];
    const size = Number(digits) * UNITS[unit.toLowerCase()]!;
    return size >= 1 && size <= MAX_BODY_LIMIT ? size : undefined;
  },
  description: 'a number of bytes such as 16777216, 16384K or 16MiB, at most 256MiB',
};

/** The address of a server; read without a slash at the end. */
export const webAddress: Kind<string> = { read: readWebAddress, description: WEB_ADDRESS };

const openOrClosed: Kind<'open' | 'closed'> = {
  read: (given) => (given === 'open' || given === 'closed' ? given : undefined),
  description: 'open or closed',
};

const directoryMode: Kind<Options['directory']> = {
  read: (given) => (given === 'public' || given === 'members' || given === 'off' ? given : undefined),
  description: 'public, members or off',
};

const YES_OR_NO = new Map(Object.entries({ true: true, '1': true, yes: true, false: false, '0': false, no: false }));

// With an optional value, so that its variable can say no: commander takes any variable of a plain switch for yes.
const yesOrNo: Kind<boolean> = {
  read: (given) => YES_OR_NO.get(given.toLowerCase()),
  description: 'true or false',
};

// `--no-X` sets the opposite of X.
const not = ({ read, description }: Kind<boolean>): Kind<boolean> => ({
  read(given) {
    const value = read(given);
    return value === undefined ? undefined : !value;
  },
  description,
});

/** Its default is the one in `DEFAULTS`, where that has one of its name. */
function option<Value>(flags: string, help: string, { read, description }: Kind<Value>): Option {
  const made = new Option(flags, help);
  const variable = `PODSYNC_${made.name().toUpperCase().replaceAll('-', '_')}`;
  made.default(DEFAULTS[made.attributeName() as keyof typeof DEFAULTS]);
  return made.env(variable).argParser((given: string) => {
    const value = read(given);
    if (value === undefined) throw new UsageError(`--${made.name()} (${variable}) must be ${description}`);
    return value;
  });
}

export const DATA_OPTION = option('--data <folder>', 'folder for all data', folder).default('./podsync-data');

/** Where the data is: nearly every command takes these. */
export const STORAGE_OPTIONS: readonly Option[] = [
  DATA_OPTION,
  option(
    '--storage <where>',
    'storage plugin and location: json, sqlite:FILE, postgres://... or ./plugin.js:LOCATION',
    text,
  ),
];

/** How feeds and logos are fetched. */
export const FETCH_OPTIONS: readonly Option[] = [
  option('--no-fetch [true|false]', 'make no outgoing connections: fetch no feeds and no logos', not(yesOrNo)).default(
    DEFAULTS.fetch,
    'false',
  ),
  option('--allow-private-feeds [true|false]', 'also fetch feeds from private networks', yesOrNo),
];

/** What a person is asked when an account is created. No defaults: see `user add`. */
export const ACCOUNT_OPTIONS: readonly Option[] = [
  option('--sync-devices [true|false]', 'keep one subscription list on all devices', yesOrNo).default(undefined),
  option('--private [true|false]', 'do not show the subscriptions publicly', yesOrNo),
];

/** For commands that store feeds, where no server runs. A running server has its own. */
export const KEEP_CREDENTIALS_OPTION = option(
  '--keep-url-credentials [true|false]',
  'keep user:password@ in feed addresses',
  yesOrNo,
);

/** For commands that print a link, where no server runs that knows its own. */
export const BASE_URL_OPTION = option(
  '--base-url <url>',
  'address that apps use, if the server is behind a proxy',
  webAddress,
);

/** How `serve` listens, and what holds for requests. */
export const SERVER_OPTIONS: readonly Option[] = [
  option('--host <address>', 'address to listen on; 0.0.0.0 is all of them', host).default('127.0.0.1'),
  option('--port <number>', 'port to listen on; 0 is any free port', whole(65_535)).default(3000),
  BASE_URL_OPTION,
  option('--trust-proxy [true|false]', 'trust the X-Forwarded headers of a proxy', yesOrNo),
  option('--tls-cert <file>', 'certificate chain for https (PEM)', text),
  option('--tls-key <file>', 'private key of the certificate (PEM)', text),
  option('--max-body <size>', 'largest upload', bytes).default(DEFAULTS.maxBody, '16MiB'),
  option('--sync-overlap <seconds>', 'how long uploads are repeated to other devices', whole(86_400)),
  option(
    '--registration <mode>',
    'who may create an account at /register: open is anyone, closed only the first user',
    openOrClosed,
  ),
  option('--directory <mode>', 'who sees toplist, search and pages: public, members or off', directoryMode),
  option('--sync-devices [true|false]', 'in new accounts, keep one subscription list on all devices', yesOrNo),
  KEEP_CREDENTIALS_OPTION,
];

/** What holds for a command that does not take all options. One that is not told how to fetch fetches nothing. */
const UNTOLD: OptionValues = {
  ...Object.fromEntries(
    [...STORAGE_OPTIONS, ...SERVER_OPTIONS, ...FETCH_OPTIONS].map((each) => [each.attributeName(), each.defaultValue]),
  ),
  fetch: false,
};

/** The whole configuration from the options of a command; what it does not take has its default. Throws UsageError. */
export function readConfig(values: OptionValues): Config {
  const { data, tlsCert, tlsKey, baseUrl, ...rest } = { ...UNTOLD, ...values };
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key belong together: give both or none');
  }
  return Object.freeze({
    data: resolve(data),
    storage: rest.storage,
    host: rest.host,
    port: rest.port,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(tlsCert !== undefined && { tls: Object.freeze({ cert: tlsCert, key: tlsKey }) }),
    trustProxy: rest.trustProxy,
    maxBody: rest.maxBody,
    syncOverlap: rest.syncOverlap,
    keepUrlCredentials: rest.keepUrlCredentials,
    registration: rest.registration,
    syncDevices: rest.syncDevices,
    directory: rest.directory,
    fetch: rest.fetch,
    allowPrivateFeeds: rest.allowPrivateFeeds,
  });
}
