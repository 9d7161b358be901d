import { resolve } from 'node:path';
import { Command } from 'commander';
import { afterEach, expect, it, vi } from 'vitest';
import { FETCH_OPTIONS, readConfig, SERVER_OPTIONS, STORAGE_OPTIONS, UsageError } from '../src/config.ts';

afterEach(() => vi.unstubAllEnvs());

function read(args: string[], env: Record<string, string> = {}) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const command = new Command().exitOverride();
  for (const option of [...STORAGE_OPTIONS, ...SERVER_OPTIONS, ...FETCH_OPTIONS]) command.addOption(option);
  return readConfig(command.parse(args, { from: 'user' }).opts());
}

it('has defaults for a first try on one machine', () => {
  expect(read([])).toEqual({
    data: resolve('podsync-data'),
    directory: 'public',
    storage: 'json',
    host: '127.0.0.1',
    port: 3000,
    trustProxy: false,
    maxBody: 16 * 1024 * 1024,
    syncOverlap: 120,
    keepUrlCredentials: false,
    registration: 'closed',
    syncDevices: false,
    fetch: true,
    allowPrivateFeeds: false,
    logLevel: 'info',
    logFormat: 'text',
    accessLog: false,
  });
});

it('reads a variable, but a flag wins over it', () => {
  expect(read([], { PODSYNC_PORT: '4000' }).port).toBe(4000);
  expect(read(['--port', '5000'], { PODSYNC_PORT: '4000' }).port).toBe(5000);
});

it('is frozen', () => {
  const config = read(['--tls-cert', 'a', '--tls-key', 'b']);
  expect(Object.isFrozen(config) && Object.isFrozen(config.tls)).toBe(true);
});

it('has defaults for the options that a command does not take', () => {
  expect(readConfig({ data: '/srv' })).toMatchObject({ data: '/srv', storage: 'json', maxBody: 16 * 1024 * 1024 });
});

it('fetches nothing for a command without the fetch options', () => {
  expect(readConfig({ data: '/srv' })).toMatchObject({ fetch: false, allowPrivateFeeds: false });
});

it.each([
  ['--max-body', '1', { maxBody: 1 }],
  ['--max-body', '2k', { maxBody: 2048 }],
  ['--max-body', '16M', { maxBody: 16 * 1024 * 1024 }],
  ['--max-body', '16MiB', { maxBody: 16 * 1024 * 1024 }],
  ['--max-body', '256mib', { maxBody: 256 * 1024 * 1024 }],
  ['--port', '0', { port: 0 }],
  ['--port', '65535', { port: 65_535 }],
  ['--host', '::1', { host: '::1' }],
  ['--host', 'pods.example.org', { host: 'pods.example.org' }],
  ['--sync-overlap', '0', { syncOverlap: 0 }],
  ['--registration', 'open', { registration: 'open' }],
  ['--directory', 'members', { directory: 'members' }],
  ['--log-level', 'warn', { logLevel: 'warn' }],
  ['--log-format', 'json', { logFormat: 'json' }],
  ['--base-url', 'https://example.org', { baseUrl: 'https://example.org' }],
  ['--base-url', 'https://example.org/', { baseUrl: 'https://example.org' }],
  ['--base-url', 'HTTP://Example.org:8080//a//sub/', { baseUrl: 'http://example.org:8080/a/sub' }],
  ['--backup-every', '90m', { backups: { every: 5400, keep: 14, folder: resolve('podsync-data/backups') } }],
  ['--backup-every', '24h', { backups: { every: 86_400, keep: 14, folder: resolve('podsync-data/backups') } }],
  ['--backup-every', '366d', { backups: { every: 31_622_400 } }],
  ['--backup-every', '7D', { backups: { every: 604_800, keep: 14, folder: resolve('podsync-data/backups') } }],
])('reads %s %s', (flag, value, expected) => {
  expect(read([flag, value])).toMatchObject(expected);
});

it.each([
  ['--max-body', ['', '0', '-1', '1.5', '16MB', '16 M', 'M', '257M', '1e3']],
  ['--port', ['', '-1', '65536', '80a', '0x50', '1.5']],
  ['--host', ['', 'two words', '-host', 'fe80::1%eth0', 'http://example.org', 'a'.repeat(64)]],
  ['--sync-overlap', ['', '-1', '86401', '2m']],
  ['--base-url', ['', 'example.org', 'ftp://example.org', 'https://a/?', 'https://a/#b', 'https://u:hunter2@a']],
  ['--registration', ['', 'maybe', 'OPEN']],
  ['--log-level', ['', 'debug', '3']],
  ['--log-format', ['', 'xml']],
  ['--backup-every', ['', '24', '0h', '1.5h', 'daily', '-1d', '367d']],
  ['--backup-keep', ['', '0', '-1', 'all', '10001']],
  ['--backup-folder', ['', '~/backups']],
  ['--metrics-token', ['', 'two hunter2', 'hunter2\n', 'h\u00e4nter']],
  ['--metrics-allow', ['', 'hunter2', '10.0.0.0/33', '10.0.0.0/8;::1']],
  ['--data', ['', '~', '~/podsync']],
  ['--trust-proxy', ['maybe']],
  ['--no-fetch', ['maybe']],
  ['--trust-proxy', ['constructor']],
])('refuses an invalid %s and says what it must be, without repeating the value', (flag, values) => {
  for (const value of values) {
    expect(() => read([flag, value]), value).toThrow(UsageError);
    expect(() => read([flag, value])).toThrow(new RegExp(`^${flag} \\(PODSYNC_[A-Z_]+\\) must be .+`));
    expect(() => read([flag, value])).not.toThrow(/hunter2/);
  }
});

it('gives an example of a valid base URL', () => {
  expect(() => read(['--base-url', 'ftp://example.org'])).toThrow(
    /an http or https address such as https:\/\/example.org/,
  );
});

it.each([
  ['true', true],
  ['1', true],
  ['YES', true],
  ['false', false],
  ['0', false],
  ['no', false],
])('reads the variable of a switch: %s is %s', (value, expected) => {
  expect(read([], { PODSYNC_TRUST_PROXY: value }).trustProxy).toBe(expected);
  expect(read([], { PODSYNC_NO_FETCH: value }).fetch).toBe(!expected);
});

it('needs no value for a switch on the command line', () => {
  expect(read(['--trust-proxy', '--keep-url-credentials', '--sync-devices'])).toMatchObject({
    trustProxy: true,
    keepUrlCredentials: true,
    syncDevices: true,
  });
});

it('needs both the certificate and the key, or neither', () => {
  expect(read(['--tls-cert', 'cert.pem', '--tls-key', 'key.pem']).tls).toEqual({ cert: 'cert.pem', key: 'key.pem' });
  expect(() => read(['--tls-cert', 'cert.pem'])).toThrow(UsageError);
  expect(() => read([], { PODSYNC_TLS_KEY: 'key.pem' })).toThrow(/--tls-cert and --tls-key belong together/);
});

it('writes scheduled backups to the given folder, and needs to know how often', () => {
  const { backups } = read(['--backup-every', '1d', '--backup-keep', '3', '--backup-folder', 'copies']);
  expect(backups).toEqual({ every: 86_400, keep: 3, folder: resolve('copies') });
  expect(() => read(['--backup-folder', 'copies'])).toThrow(/--backup-folder needs --backup-every/);
});

it('needs to know who may read the metrics', () => {
  expect(() => read(['--metrics'])).toThrow(UsageError);
  expect(() => read([], { PODSYNC_METRICS: 'true' })).toThrow(/needs --metrics-token .+ or --metrics-allow/);
  expect(read(['--metrics', '--metrics-token', 'x']).metrics).toEqual({ token: 'x' });
  const both = { PODSYNC_METRICS: 'true', PODSYNC_METRICS_TOKEN: 'x', PODSYNC_METRICS_ALLOW: '10.0.0.0/8,::1' };
  expect(read([], both).metrics).toEqual({ token: 'x', allow: '10.0.0.0/8,::1' });
});

it('serves no metrics because of a token alone', () => {
  expect(read(['--metrics-token', 'x'])).not.toHaveProperty('metrics');
  expect(read([], { PODSYNC_METRICS: 'false', PODSYNC_METRICS_TOKEN: 'x' })).not.toHaveProperty('metrics');
});
