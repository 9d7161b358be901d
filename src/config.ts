import { join, resolve } from 'node:path';
import { Option, type OptionValues } from 'commander';
import { DEFAULTS, type Options } from './options.ts';
import {
  bytes,
  file,
  folder,
  host,
  networkList,
  not,
  oneOf,
  period,
  text,
  token,
  type ValueType,
  webAddress,
  wholeNumber,
  yesOrNo,
} from './value-types.ts';

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

/** An option of the configuration, also in a config file. */
export interface ConfigOption extends Option {
  type: ValueType<unknown>;
}

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
  option('--config <file>', 'config file (default: podsync.config.json in the data folder, if it exists)', file),
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
  option('--backup-folder <folder>', 'folder for these backups (default: backups in the data folder)', folder),
];

/** Metrics for monitoring, and who may read them. */
const METRICS_OPTIONS: readonly ConfigOption[] = [
  option('--metrics [true|false]', 'serve metrics for Prometheus at /metrics', yesOrNo).default(false),
  option('--metrics-token <token>', 'let clients with this bearer token read the metrics', token),
  option(
    '--metrics-allow <networks>',
    'let clients in these networks read the metrics, such as 10.0.0.0/8',
    networkList,
  ),
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
    'who sees the directory and profiles: public is everyone, members those who are signed in, off no one',
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
  const given = { ...COMMAND_DEFAULTS, ...values };
  // Not those that only the command itself has, such as `--json`.
  const known = Object.fromEntries(Object.keys(COMMAND_DEFAULTS).map((name) => [name, given[name]]));
  const { config: _config, baseUrl, tlsCert, tlsKey, backupEvery, backupKeep, backupFolder, ...others } = known;
  const { metrics: hasMetrics, metricsToken, metricsAllow, ...rest } = others;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key belong together: give both or neither');
  }
  if (backupFolder !== undefined && backupEvery === undefined) {
    throw new UsageError('--backup-folder needs --backup-every, such as --backup-every 24h');
  }
  if (hasMetrics && metricsToken === undefined && metricsAllow === undefined) {
    throw new UsageError(
      '--metrics needs --metrics-token (PODSYNC_METRICS_TOKEN) or --metrics-allow, such as --metrics-allow 10.0.0.0/8: otherwise anyone could read the metrics',
    );
  }
  const data = resolve(rest.data);
  const backups = {
    every: backupEvery,
    keep: backupKeep,
    folder: backupFolder === undefined ? join(data, 'backups') : resolve(backupFolder),
  };
  const metrics = {
    ...(metricsToken !== undefined && { token: metricsToken }),
    ...(metricsAllow !== undefined && { allow: metricsAllow }),
  };
  return Object.freeze({
    ...(rest as Config),
    data,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(tlsCert !== undefined && { tls: Object.freeze({ cert: tlsCert, key: tlsKey }) }),
    ...(backupEvery !== undefined && { backups: Object.freeze(backups) }),
    ...(hasMetrics && { metrics: Object.freeze(metrics) }),
  });
}
