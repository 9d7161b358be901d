import { chown, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { redactLocation } from '../../src/storage/location.ts';
import { makeFolder } from '../folder.ts';
import { createTestDatabase } from '../postgres/database.ts';
import type { TestStorage } from '../storages.ts';
import { run, startServer } from './podsync.ts';
import { COUNTS, makeTwoAccounts } from './two-accounts.ts';

/** A data folder with two accounts on JSON. */
async function setUp() {
  const data = await makeTwoAccounts();
  const podsync = (args: readonly string[], input = '') => run([...args, '--data', data], { input });
  const backUp = async (storage: string) =>
    (await podsync(['export', '--format', 'backup', '--storage', storage])).stdout;
  const migrate = (from: string, to: string, ...args: string[]) =>
    podsync(['migrate', '--from', from, '--to', to, ...args]);
  return { data, podsync, backUp, migrate };
}

it.each<[string, () => Promise<TestStorage>]>([
  ['SQLite', async () => ({ spec: 'sqlite:podsync.db', destroy: async () => undefined })],
  [
    'PostgreSQL',
    async () => {
      const { url, destroy } = await createTestDatabase();
      return { spec: url, destroy };
    },
  ],
])('moves everything from JSON to %s and back, and a server continues there', async (_title, open) => {
  const { data, migrate, backUp } = await setUp();
  const { spec, destroy } = await open();
  const backup = await backUp('json');
  const away = await migrate('json', spec);
  expect(away).toEqual({
    code: 0,
    stdout:
      'accounts       2\ndevices        2\nsubscriptions  2\nactions        0\nsettings       0\nlists          0\n' +
      'sessions       0\npodcasts       1\nepisodes       0\n',
    stderr: expect.stringMatching(/^\[success\] Copied everything to \S+\. This data folder uses it from now on\.\n/),
  });
  expect(away.stderr).toContain(`to ${redactLocation(spec)}. `);
  expect(away.stderr.includes('podsync does not store its password')).toBe(/:\/\/\S+:\S+@/.test(spec));
  expect(await backUp(spec)).toBe(backup);
  const back = await migrate(spec, 'json:again', '--json');
  expect(back).toMatchObject({ code: 0, stdout: `${JSON.stringify(COUNTS)}\n` });
  expect(await backUp('json:again')).toBe(backup);
  expect(await backUp('json')).toBe(backup);

  await rm(join(data, 'podsync.json')); // which names the last target
  const server = await startServer(['--data', data, '--storage', spec]);
  const headers = { authorization: `Basic ${btoa('bob:secret')}` };
  const list = await fetch(`${server.url}/subscriptions/bob/phone.txt`, { headers });
  expect(await list.text()).toBe('https://feeds.example/1\n');
  server.kill('SIGTERM');
  await server.ended;
  await destroy();
});

it('after migrations through all storages, the backup is unchanged', async () => {
  const { migrate, backUp } = await setUp();
  const { url, destroy } = await createTestDatabase();
  const backup = await backUp('json');
  const stations = ['json', 'sqlite:podsync.db', url, 'json:again'];
  for (const [index, station] of stations.slice(1).entries()) {
    expect(await migrate(stations[index]!, station)).toMatchObject({ code: 0 });
  }
  expect(await backUp('json:again')).toBe(backup);
  await destroy();
});

it('refuses a target that is not empty, and a source that is in use or missing', async () => {
  const { data, migrate, backUp } = await setUp();
  await migrate('json', 'json:full');
  await rm(join(data, 'podsync.json')); // which names the target
  const full = await backUp('json:full');
  const refused = async (from: string, to: string) => {
    const { code, stdout, stderr } = await migrate(from, to);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^\[error\] [^\n]+\n$/);
    return stderr;
  };
  expect(await refused('json', 'json:full')).toMatch('the target is not empty; choose a new one');
  expect(await backUp('json:full')).toBe(full);
  for (const typo of ['json:typo', 'sqlite:typo']) {
    expect(await refused(typo, 'json:new')).toMatch(`no storage found at ${data}/typo; check --data and --from`);
  }
  expect((await readdir(data)).join()).not.toMatch(/typo|new/);
  expect(await refused('nothing', 'json:new')).toMatch('there is no package podsync-storage-nothing');

  const server = await startServer(['--data', data, '--storage', 'json:full']);
  expect(await refused('json', 'json:new')).toMatch(/a server is running on .*; stop it first/);
  const elsewhere = ['--data', await makeFolder()];
  const away = await run(['migrate', '--from', `json:${data}/full`, '--to', 'json', ...elsewhere]);
  expect(away).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/is in use by process \d+/) });
  server.kill('SIGTERM');
  await server.ended;
});

it('refuses a storage that the data folder no longer uses as the source: its data is out of date', async () => {
  const { data, podsync, migrate } = await setUp();
  await migrate('json', 'sqlite:podsync.db');
  await podsync(['user', 'add', 'new', '--generate']);
  const { code, stdout, stderr } = await migrate('json', 'json:again');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('is used with the storage sqlite:podsync.db, not json; name that one with --from');
  expect(await readdir(data)).not.toContain('again');
  expect((await podsync(['user', 'list'])).stdout).toMatch(/^new /m);
  expect(await migrate('sqlite:podsync.db', 'json:again')).toMatchObject({ code: 0 });
});

it.skipIf(process.getuid?.() !== 0)('refuses to run as root if another user owns the folder', async () => {
  const { data, migrate } = await setUp();
  await chown(join(data, 'clock'), 12_345, 12_345);
  const refused = await migrate('json', 'json:new');
  const says = /belongs to another user.*: sudo -u '#12345' node \S+podsync\.mjs \.\.\.$/m;
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) });
  expect(await readdir(data)).not.toContain('new');
});

it.each([
  ['json', 'json:.'],
  ['sqlite:podsync.db', 'sqlite:./podsync.db'],
  ['json', 'json:link'],
])('refuses the same storage as source and target: %s and %s', async (from, to) => {
  const { data, migrate, backUp } = await setUp();
  await migrate('json', 'sqlite:podsync.db');
  await rm(join(data, 'podsync.json')); // which names the target
  await symlink(data, join(data, 'link'));
  const backup = await backUp(from);
  const stderr = '[error] --from and --to name the same storage\n';
  expect(await migrate(from, to)).toEqual({ code: 2, stdout: '', stderr });
  expect(await backUp(from)).toBe(backup);
});

it.each([
  ['json', 'json:other'],
  ['json', 'json:users/new'],
  ['json:episodes', 'json'],
])('refuses a JSON storage in a folder of the other one: %s and %s', async (from, to) => {
  const { data, migrate } = await setUp();
  const before = await readdir(data, { recursive: true });
  const stderr =
    '[error] --from and --to: one storage would be in a folder of the other, which treats all files in its folders users, episodes and other as its own; choose another folder\n';
  expect(await migrate(from, to)).toEqual({ code: 2, stdout: '', stderr });
  expect(await readdir(data, { recursive: true })).toEqual(before);
});

it.each([
  [['migrate'], /required option '--from <storage>' not specified/],
  [['migrate', '--from', 'json'], /required option '--to <storage>' not specified/],
  [['migrate', '--from', 'json', '--to', ''], /--from and --to must each name a storage/],
  [['migrate', '--from', 'json', '--to', 'json'], /--from and --to name the same storage/],
])('refuses %j with a reason', async (args, says) => {
  const result = await run(args, { cwd: await makeFolder() });
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
});

it('reports that it created the data folder, as the path may be misspelled', async () => {
  const [data, before] = [`${await makeFolder()}/typo`, await makeFolder()];
  const from = `sqlite:${before}/podsync.sqlite`;
  await run(['user', 'add', 'bob', '--generate', '--data', before, '--storage', from]);
  const { code, stderr } = await run(['migrate', '--from', from, '--to', 'json', '--data', data]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^\[info\] Created the data folder \S+typo; --data or PODSYNC_DATA [^\n]+\n/);
});
