import { join, resolve } from 'node:path';
import { Option, type OptionValues } from 'commander';
import { HIGHEST_MAX_BODY } from './body-limits.ts';
import { DEFAULTS, NETWORKS, type Options, readNetworks, readWebAddress, WEB_ADDRESS } from './options.ts';

/**
 * The settings from flags, `PODSYNC_*` variables and the config file; the first one that has a setting wins. `data` is an
 * absolute path that may not exist yet.
 */
export interface Config extends Options {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The least important messages that are logged. */
  readonly logLevel: 'error' | 'warn' | 'info';
  readonly logFormat: 'text' | 'json';
  /** Whether every request is logged. */
  readonly accessLog: boolean;
}

/** Invalid options: exit code 2. The message names the option and says what it must be. */
export class UsageError extends Error {}

/** A type of option value: `read` returns undefined for invalid text; `description` says what the value must be. */
interface ValueType<Value> {
  read(text: string): Value | undefined;
  description: string;
  /** What it may be in a config file besides a string. */
  json?: 'number' | 'boolean';
  /** Whether it is a path, which in a config file starts from the folder of the file. */
  isPath?: boolean;
  isSecret?: boolean;
}

/** An option of the configuration, also in a config file. */
export interface ConfigOption extends Option {
  type: ValueType<unknown>;
}

const wholeNumber = (max: number, min = 0): ValueType<number> => ({
  read: (text) => (/^\d{1,9}$/.test(text) && Number(text) <= max && Number(text) >= min ? Number(text) : undefined),
  description: `a whole number from ${min} to ${max}`,
  json: 'number',
});

const text: ValueType<string> = { read: (given) => given || undefined, description: 'a text that is not empty' };

// Shells do not expand `~` after `=`, nor does systemd: podsync would create a folder named `~`.
const folder: ValueType<string> = {
  read: (given) => (/^~(?:\/|$)/.test(given) ? undefined : given || undefined),
  description: 'a folder; write the full path of the home folder instead of ~',
  isPath: true,
};

const file: ValueType<string> = { ...text, isPath: true };

// What listhen accepts; for any other host, it would silently listen on a host of its own choice.
const host: ValueType<string> = {
  read: (given) => (/^(?!-)[\d.:A-Za-z-]{1,63}(?<!-)$/.test(given) ? given : undefined),
  description: 'an IP address or a host name',
};

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2 };

const bytes: ValueType<number> = {
  read(given) {
    const [, digits = '', unit = ''] = /^(\d{1,9})(?:([km])(?:ib)?)?$/i.exec(given) ?? [];
    const size = Number(digits) * UNITS[unit.toLowerCase()]!;
    return size >= 1 && size <= HIGHEST_MAX_BODY ? size : undefined;
  },
  description: 'a number of bytes such as 16777216, 16384K or 16MiB, at most 256MiB',
  json: 'number',
};

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };
const MAX_PERIOD = 366 * 86_400;

const period: ValueType<number> = {
  read(given) {
    const [, digits = '', unit = ''] = /^(\d{1,6})([mhd])$/i.exec(given) ?? [];
    const seconds = Number(digits) * SECONDS[unit.toLowerCase()]!;
    return seconds > 0 && seconds <= MAX_PERIOD ? seconds : undefined;
  },
  description: 'a time such as 24h, 90m or 7d, at most 366d',
};

/** The address of a server; a trailing slash is removed. */
export const webAddress: ValueType<string> = { read: readWebAddress, description: WEB_ADDRESS };

const oneOf = <Word extends string>(...words: Word[]): ValueType<Word> => ({
  read: (given) => words.find((word) => word === given),
  description: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
});

const YES_OR_NO = new Map(Object.entries({ true: true, '1': true, yes: true, false: false, '0': false, no: false }));

// With an optional value, so that its variable can be `false`: for a plain switch, commander treats any value as true.
const yesOrNo: ValueType<boolean> = {
  read: (given) => YES_OR_NO.get(given.toLowerCase()),
  description: 'true or false',
  json: 'boolean',
};

// `--no-X` sets X to the opposite.
const not = (type: ValueType<boolean>): ValueType<boolean> => ({
  ...type,
  read(given) {
    const value = type.read(given);
    return value === undefined ? undefined : !value;
  },
});

/** An option that takes its default from `DEFAULTS`, if there is one of its name. */
function option<Value>(flags: string, help: string, type: ValueType<Value>): ConfigOption {
  const created = Object.assign(new Option(flags, help), { type });
  const variable = `PODSYNC_${created.name().toUpperCase().replaceAll('-', '_')}`;
  created.default(DEFAULTS[created.attributeName() as keyof typeof DEFAULTS]);
  return created.env(variable).argParser((given: string) => {
    const value = type.read(given);
    if (value !== undefined) return value;
    // An argument after a switch is read as its value.
    const advice = type.json === 'boolean' ? `; before an argument, write --${created.name()}=true` : '';
    throw new UsageError(`--${created.name()} (${variable}) must be ${type.description}${advice}`);
  });
}

/** Where the data and the configuration are. */
export const DATA_OPTIONS: readonly ConfigOption[] = [
  option('--data <folder>', 'folder for all data', folder).default('./podsync-data'),
  option('--config <file>', 'config file; podsync.config.json in the data folder, if it exists', file),
];

/** Where the data is stored. Nearly every command takes these options. */
export const STORAGE_OPTIONS: readonly ConfigOption[] = [
  ...DATA_OPTIONS,
  option(
    '--storage <storage>',
    'storage plugin and location: json, sqlite:FILE, postgres://... or ./plugin.js:LOCATION',
    text,
  ).default(DEFAULTS.storage, 'the one that the data folder records, otherwise json'),
];

/** How feeds and logos are fetched. */
export const FETCH_OPTIONS: readonly ConfigOption[] = [
  option('--no-fetch [true|false]', 'make no outgoing connections: fetch no feeds and no logos', not(yesOrNo)).default(
    DEFAULTS.fetch,
    'false',
  ),
  option('--allow-private-feeds [true|false]', 'also fetch feeds from private networks', yesOrNo),
];

/** Settings of a new account. They have no defaults: `user add` asks for them. */
export const ACCOUNT_OPTIONS: readonly ConfigOption[] = [
  option('--sync-devices [true|false]', 'keep one subscription list on all devices', yesOrNo).default(undefined),
  option('--private [true|false]', 'do not show the subscriptions publicly', yesOrNo),
];

/** For commands that store feeds when no server is running. A running server uses its own setting. */
export const KEEP_CREDENTIALS_OPTION = option(
  '--keep-url-credentials [true|false]',
  'keep user:password@ in feed addresses',
  yesOrNo,
);

/** For commands that print a link when no server is running. A running server uses its own address. */
export const BASE_URL_OPTION = option(
  '--base-url <url>',
  'address that apps use, if the server is behind a proxy',
  webAddress,
);

/** What `serve` logs, and how. */
const LOG_OPTIONS: readonly ConfigOption[] = [
  option(
    '--log-level <level>',
    'least important messages to log: error, warn or info; failed logins are always logged',
    oneOf<Config['logLevel']>('error', 'warn', 'info'),
  ).default('info'),
  option(
    '--log-format <format>',
    'text, or json: one object per line',
    oneOf<Config['logFormat']>('text', 'json'),
  ).default('text'),
  option('--access-log [true|false]', 'log every request', yesOrNo).default(false),
];

/** The backups that `serve` writes. */
const BACKUP_OPTIONS: readonly ConfigOption[] = [
  option('--backup-every <time>', 'write a backup of everything this often, such as 24h', period),
  option('--backup-keep <number>', 'how many of these backups to keep', wholeNumber(10_000, 1)).default(14),
  option('--backup-folder <folder>', 'folder for these backups; backups in the data folder', folder),
];

const token: ValueType<string> = {
  read: (given) => (/^[!-~]+$/.test(given) ? given : undefined),
  description: 'ASCII characters without spaces',
  isSecret: true,
};

const networks: ValueType<string> = {
  read: (given) => (readNetworks(given) ? given : undefined),
  description: NETWORKS,
};

/** Metrics for monitoring, and who may read them. */
const METRICS_OPTIONS: readonly ConfigOption[] = [
  option('--metrics [true|false]', 'serve metrics for Prometheus at /metrics', yesOrNo).default(false),
  option('--metrics-token <token>', 'let clients with this bearer token read them', token),
  option('--metrics-allow <networks>', 'let clients in these networks read them, such as 10.0.0.0/8', networks),
];

/** How `serve` listens, and the rules for requests. */
export const SERVER_OPTIONS: readonly ConfigOption[] = [
  option('--host <address>', 'address to listen on; 0.0.0.0 is all of them', host).default('127.0.0.1'),
  option('--port <number>', 'port to listen on; 0 is any free port', wholeNumber(65_535)).default(3000),
  BASE_URL_OPTION,
  option('--trust-proxy [true|false]', 'trust the X-Forwarded headers of a proxy', yesOrNo),
  option('--tls-cert <file>', 'certificate chain for https (PEM)', file),
  option('--tls-key <file>', 'private key of the certificate (PEM)', file),
  option('--max-body <size>', 'largest upload', bytes).default(DEFAULTS.maxBody, '16MiB'),
  option('--sync-overlap <seconds>', 'how long uploads are repeated to other devices', wholeNumber(86_400)),
  option(
    '--registration <mode>',
    'who may create an account at /register: open is anyone, closed only the first user',
    oneOf<Options['registration']>('open', 'closed'),
  ),
  option(
    '--directory <mode>',
    'who sees toplist, search and pages: public, members or off',
    oneOf<Options['directory']>('public', 'members', 'off'),
  ),
  option('--sync-devices [true|false]', 'in new accounts, keep one subscription list on all devices', yesOrNo),
  KEEP_CREDENTIALS_OPTION,
  ...LOG_OPTIONS,
  ...BACKUP_OPTIONS,
  ...METRICS_OPTIONS,
];

/** All options of `serve`. */
export const SERVE_OPTIONS: readonly ConfigOption[] = [...STORAGE_OPTIONS, ...SERVER_OPTIONS, ...FETCH_OPTIONS];

/** Values for the options that a command does not take. Without the fetch options, a command fetches nothing. */
const COMMAND_DEFAULTS: OptionValues = {
  ...Object.fromEntries(SERVE_OPTIONS.map((each) => [each.attributeName(), each.defaultValue])),
  fetch: false,
};

/**
 * The full configuration from the options of a command; options that it does not take get defaults. Throws UsageError.
 */
export function readConfig(values: OptionValues): Config {
  const { tlsCert, tlsKey, baseUrl, backupEvery, backupFolder, metricsToken, metricsAllow, ...rest } = {
    ...COMMAND_DEFAULTS,
    ...values,
  };
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key belong together: give both or neither');
  }
  if (backupFolder !== undefined && backupEvery === undefined) {
    throw new UsageError('--backup-folder needs --backup-every, such as --backup-every 24h');
  }
  if (rest.metrics && metricsToken === undefined && metricsAllow === undefined) {
    throw new UsageError(
      '--metrics needs --metrics-token (PODSYNC_METRICS_TOKEN) or --metrics-allow, such as --metrics-allow 10.0.0.0/8: otherwise anyone could read the metrics',
    );
  }
  const data = resolve(rest.data);
  const backups = {
    every: backupEvery,
    keep: rest.backupKeep,
    folder: backupFolder === undefined ? join(data, 'backups') : resolve(backupFolder),
  };
  const metrics = {
    ...(metricsToken !== undefined && { token: metricsToken }),
    ...(metricsAllow !== undefined && { allow: metricsAllow }),
  };
  return Object.freeze({
    data,
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
    logLevel: rest.logLevel,
    logFormat: rest.logFormat,
    accessLog: rest.accessLog,
    ...(backupEvery !== undefined && { backups: Object.freeze(backups) }),
    ...(rest.metrics && { metrics: Object.freeze(metrics) }),
  });
}
