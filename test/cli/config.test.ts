import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFileIn, readConfigFile } from '../../src/cli/settings/config-file.ts';
import { readStorageRecord } from '../../src/cli/settings/storage-record.ts';
import { SERVE_OPTIONS } from '../../src/config.ts';
import { makeFolder } from '../folder.ts';
import { run, start } from './podsync.ts';

/** A data folder, with a config file in it. */
async function makeSubject(content: unknown) {
  const data = await makeFolder();
  const file = join(data, 'podsync.config.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  const podsync = (args: readonly string[], env: Record<string, string> = {}) =>
    run([...args, '--data', data], { env });
  return { data, file, podsync };
}

/** The settings that `podsync config` prints, by name. */
async function readSettings(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run(['config', '--json', ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const settings = JSON.parse(stdout) as { name: string; value: unknown; source: string; from: string | null }[];
  return Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest]));
}

it('a flag takes precedence over a variable, a variable over the file, and the file over the default', async () => {
  const { data, file } = await makeSubject({ port: 1, host: '::1', 'max-body': '1MiB', 'no-fetch': true });
  const env = { PODSYNC_PORT: '2', PODSYNC_HOST: '::2' };
  expect(await readSettings(['--data', data, '--port', '3'], env)).toMatchObject({
    port: { value: 3, source: 'flag', from: null },
    host: { value: '::2', source: 'environment', from: 'PODSYNC_HOST' },
    'max-body': { value: '1MiB', source: 'file', from: file },
    'no-fetch': { value: true, source: 'file', from: file },
    'sync-overlap': { value: 120, source: 'default', from: null },
    'base-url': { value: null, source: 'default', from: null },
    'metrics-token': { value: null, source: 'default', from: null },
  });
});

it('prints every option of the server with its source', async () => {
  const { data, file, podsync } = await makeSubject({ port: 8080 });
  const { stdout } = await podsync(['config', '--registration', 'open'], { PODSYNC_TRUST_PROXY: 'true' });
  const rows = stdout.trimEnd().split('\n');
  expect(rows.slice(1).map((row) => row.split(' ')[0])).toEqual(SERVE_OPTIONS.map((option) => option.name()));
  for (const row of [
    ['data', data, 'flag'],
    ['config', file, file],
    ['port', '8080', file],
    ['trust-proxy', 'true', 'PODSYNC_TRUST_PROXY'],
    ['registration', 'open', 'flag'],
    ['host', '127.0.0.1', 'default'],
  ]) {
    expect(rows.map((each) => each.split(/ {2,}/))).toContainEqual(row);
  }
});

it.each([
  ['16777216', '24h', '16MiB', '1d'],
  ['1024000', '90m', '1000KiB', '90m'],
  ['1000', '36h', '1000', '36h'],
])('prints the size %s and the time %s as a config file may contain them', async (size, time, maxBody, every) => {
  const given = await readSettings(['--max-body', size, '--backup-every', time]);
  const { data } = await makeSubject({ 'max-body': maxBody, 'backup-every': every });
  for (const settings of [given, await readSettings(['--data', data])]) {
    expect(settings).toMatchObject({ 'max-body': { value: maxBody }, 'backup-every': { value: every } });
  }
});

it('shows the storage of the data folder, and no password', async () => {
  const { data, podsync } = await makeSubject({});
  await podsync(['user', 'add', 'bob', '--generate', '--storage', 'sqlite:podsync.db']);
  expect((await readSettings(['--data', data])).storage).toEqual({
    value: 'sqlite:podsync.db',
    source: 'file',
    from: join(data, 'podsync.json'),
  });
  const { file, podsync: other } = await makeSubject({ storage: 'postgres://podsync:hunter2@db/podsync' });
  for (const args of [['config'], ['config', '--json']]) {
    const { stdout } = await other(args);
    expect(stdout).toContain('postgres://podsync:***@db/podsync');
    expect(stdout).toContain(file);
    expect(stdout).not.toContain('hunter2');
  }
});

it('does not show the token of the metrics, wherever it is from', async () => {
  const { data, podsync } = await makeSubject({ metrics: true, 'metrics-token': 'hunter2' });
  expect((await readSettings(['--data', data]))['metrics-token']).toMatchObject({ value: '***', source: 'file' });
  for (const env of [{}, { PODSYNC_METRICS_TOKEN: 'hunter2' }]) {
    expect(JSON.stringify(await podsync(['config'], env))).not.toContain('hunter2');
  }
});

it('a file named by --config may select the data folder; its relative paths start from its own folder', async () => {
  const folder = await makeFolder();
  const file = join(folder, 'etc/podsync.json');
  await mkdir(join(folder, 'etc'));
  const content = { data: '../data', 'tls-cert': 'cert.pem', 'tls-key': '/key.pem', storage: './plugin.js:here' };
  await writeFile(file, JSON.stringify(content));
  for (const [args, env] of [
    [['--config', file], {}],
    [[], { PODSYNC_CONFIG: file }],
  ] as const) {
    expect(await readSettings(args, env)).toMatchObject({
      data: { value: join(folder, 'data') },
      'tls-cert': { value: join(folder, 'etc/cert.pem') },
      'tls-key': { value: '/key.pem' },
      storage: { value: `file://${folder}/etc/plugin.js:here` },
    });
  }
  const elsewhere = await readSettings(['--config', file, '--data', folder]);
  expect(elsewhere['data']).toMatchObject({ value: folder, source: 'flag' });
});

it('serve and commands read the values of their options from the file', async () => {
  const { data, file, podsync } = await makeSubject({
    port: 0,
    'no-fetch': 'true',
    storage: 'sqlite:from-file.db',
    private: true,
    'sync-devices': true,
  });
  expect((await podsync(['user', 'add', 'bob', '--generate'])).code).toBe(0);
  const server = start(['serve', '--config', file, '--data', data]);
  await server.prints(/storage sqlite:from-file\.db$/);
  await server.prints(/Ready\. /);
  server.kill('SIGTERM');
  await server.ended;
  const { stdout } = await podsync(['export', '--user', 'bob', '--format', 'backup']);
  expect(stdout).toContain('["sync_devices",true]');
  expect(stdout).toContain('["public_subscriptions",false]');
});

it('a config file may begin with a byte order mark, as some editors on Windows write it', async () => {
  const { data } = await makeSubject('\ufeff{"port": 8080}\r\n');
  expect(await readSettings(['--data', data])).toMatchObject({ port: { value: 8080 } });
});

it('a user who may not use the data folder learns that, and not that its files are unreadable', async () => {
  const data = await makeFolder();
  await chmod(data, 0);
  const isRoot = process.getuid!() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    const says = `the data folder ${data} cannot be used: this user may not write there; run the command as the owner`;
    await expect(readConfigFile(configFileIn(data), { mayBeMissing: true })).rejects.toThrow(says);
    await expect(readStorageRecord(data)).rejects.toThrow(says);
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(data, 0o700);
  }
});

describe('refuses an invalid file, and names the file, the option and what is expected', () => {
  it.each([
    [{ prot: 80 }, /: unknown option "prot"; the options are data, storage, host, port, /],
    [{ baseUrl: 'https://a' }, /: unknown option "baseUrl"; /],
    [{ config: 'other.json' }, /: unknown option "config"; /],
    [{ port: 'http' }, /: "port" must be a whole number from 0 to 65535$/],
    [{ port: 80.5 }, /: "port" must be a whole number/],
    [{ port: true }, /: "port" must be a whole number/],
    [{ port: null }, /: "port" must be a whole number/],
    [{ 'trust-proxy': 'perhaps' }, /: "trust-proxy" must be true or false$/],
    [{ 'trust-proxy': 1 }, /: "trust-proxy" must be true or false$/],
    [{ storage: false }, /: "storage" must be a non-empty string$/],
    [{ 'base-url': 'https://u:hunter2@a' }, /: "base-url" must be an http or https address/],
    [{ 'tls-cert': ['a'] }, /: "tls-cert" must be a non-empty string/],
    [{ data: '/srv' }, /: "data" is only for a file that --config names/],
    [[], / must contain an object with options, such as \{"port": 8080\}$/],
    ['', / is not JSON: the error is in line 1 or before$/],
    ['{\n"storage": "postgres://podsync:hunter2@db",\n"port" 80}', / is not JSON: the error is in line 3 or before$/],
  ])('%j', async (content, says) => {
    const { file, podsync } = await makeSubject(content);
    for (const args of [['config'], ['user', 'list'], ['serve']]) {
      const { code, stdout, stderr } = await podsync(args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr.startsWith(`[error] ${file}`)).toBe(true);
      expect(stderr.trimEnd()).toMatch(says);
      expect(stderr).not.toContain('hunter2');
    }
  });

  it('a certificate without its key', async () => {
    const { podsync } = await makeSubject({ 'tls-cert': 'cert.pem' });
    expect(await podsync(['config'])).toMatchObject({ code: 2, stderr: expect.stringContaining('belong together') });
  });

  it('a file that does not exist', async () => {
    const { data, podsync } = await makeSubject({});
    const stderr = `[error] the config file ${data}/no.json cannot be read (ENOENT); check its name and its permissions\n`;
    expect(await podsync(['config', '--config', `${data}/no.json`])).toEqual({ code: 1, stdout: '', stderr });
  });
});
