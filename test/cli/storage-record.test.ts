import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  readStorageRecord,
  requirePassword,
  requireRecordedStorage,
  writeStorageRecord,
} from '../../src/cli/settings/storage-record.ts';
import { makeFolder } from '../folder.ts';
import { createTestDatabase } from '../postgres/database.ts';
import { makeCopy, run, startServer } from './podsync.ts';

/** A data folder with the account bob on JSON, as the recorded storage. */
async function makeSubject() {
  const data = await makeCopy('bob', async (folder) => {
    await run(['user', 'add', 'bob', '--password-stdin', '--data', folder], { input: 'a long password' });
  });
  const podsync = (args: readonly string[], env: Record<string, string> = {}) =>
    run([...args, '--data', data], { input: 'a long password', env });
  const addUser = (name: string, env?: Record<string, string>) =>
    podsync(['user', 'add', name, '--password-stdin'], env);
  const listUsers = async (...args: string[]): Promise<string[]> =>
    JSON.parse((await podsync(['user', 'list', '--json', ...args])).stdout).map(({ name }: { name: string }) => name);
  return { data, record: join(data, 'podsync.json'), podsync, addUser, listUsers };
}

it('after a migration, commands and the server use the new storage', async () => {
  const { data, record, podsync, addUser, listUsers } = await makeSubject();
  expect(JSON.parse(await readFile(record, 'utf8'))).toEqual({ version: 1, storage: 'json' });
  expect(await podsync(['migrate', '--from', 'json', '--to', 'sqlite:new.db'])).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(record, 'utf8'))).toEqual({ version: 1, storage: 'sqlite:new.db' });
  await addUser('eve');
  expect(await listUsers()).toEqual(['bob', 'eve']);
  // Commands that only read may read the old one.
  expect(await listUsers('--storage', 'json')).toEqual(['bob']);
  const backup = join(data, 'old.ndjson');
  for (const command of [
    ['export', '--user', 'bob'],
    ['export', '--format', 'backup', '-o', backup],
    ['import', backup, '--as', 'robert', '--dry-run'],
    ['check'],
  ]) {
    expect(await podsync([...command, '--storage', 'json'])).toMatchObject({ code: 0 });
  }
  const server = await startServer(['--data', data]);
  await server.prints(/storage sqlite:new\.db$/);
  expect(await listUsers()).toEqual(['bob', 'eve']);
});

it('a migration that fails changes nothing', async () => {
  const { data, record, podsync } = await makeSubject();
  await run(['import-opml', '/dev/null', '--user', 'bob', '--device', 'phone', '--data', data]);
  const other = await makeSubject();
  expect(await podsync(['migrate', '--from', 'json', '--to', `json:${other.data}`])).toMatchObject({ code: 1 });
  expect(JSON.parse(await readFile(record, 'utf8'))).toEqual({ version: 1, storage: 'json' });
});

it('another storage is refused with what to do, and nothing is written to it', async () => {
  const { data, record, podsync, addUser, listUsers } = await makeSubject();
  await podsync(['migrate', '--from', 'json', '--to', 'sqlite:new.db']);
  const refusals = [
    await addUser('eve', { PODSYNC_STORAGE: 'json' }),
    await podsync(['user', 'remove', 'bob', '--yes', '--storage', 'json']),
    await podsync(['serve', '--port', '0', '--storage', 'json']),
  ];
  for (const { code, stdout, stderr } of refusals) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`the data folder ${data} is used with the storage sqlite:new.db, not json.`);
    expect(stderr).toContain(` migrate --from sqlite:new.db --to json --data ${data}. `);
    expect(stderr).toContain(`remove ${record} or choose another folder with --data`);
  }
  expect(await listUsers('--storage', 'json')).toEqual(['bob']);
  await rm(record);
  const server = await startServer(['--data', data, '--storage', 'json']);
  await server.prints(/storage json$/);
  expect(await readStorageRecord(data)).toBe('json');
});

it('a database is recorded without its password, which must be given', async () => {
  const [data, database] = [await makeFolder(), await createTestDatabase()];
  const url = new URL(database.url);
  const { password } = url;
  expect(password).not.toBe('');
  const first = await startServer(['--data', data, '--storage', url.href]);
  first.kill('SIGTERM');
  await first.ended;
  expect(await readFile(join(data, 'podsync.json'), 'utf8')).not.toContain(password);
  expect((await stat(join(data, 'podsync.json'))).mode & 0o777).toBe(0o600);

  const alone = await run(['user', 'list', '--data', data]);
  const says = /^\[error\] podsync does not store the password of postgres\S+:\*{3}@\S+; give the storage [^\n]+\n$/;
  expect(alone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) });

  url.searchParams.set('application_name', 'podsync');
  const env = { PODSYNC_STORAGE: url.href };
  const second = await startServer(['--data', data], { env });
  expect((await run(['user', 'list', '--data', data])).code).toBe(0); // the server has the password
  second.kill('SIGTERM');
  await second.ended;
  expect((await run(['user', 'add', 'bob', '--generate', '--data', data], { env })).code).toBe(0);

  const other = database.url.replace(/\/[^/]*$/, '/other');
  const refused = await run(['user', 'add', 'eve', '--generate', '--data', data, '--storage', other]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is used with the storage postgres') });
  await database.destroy();
});

it.each(['postgres://me:***@db/podsync', 'postgres://db/podsync?user=me&password=***'])(
  'a recorded database is not opened without its password: %s',
  (recorded) => {
    expect(() => requirePassword(recorded)).toThrow(`podsync does not store the password of ${recorded}; give`);
  },
);

it('a data folder can be moved', async () => {
  const { data, podsync, listUsers } = await makeSubject();
  await podsync(['migrate', '--from', 'json', '--to', `sqlite:${data}/new.db`]);
  const moved = join(await makeFolder(), 'moved');
  await rename(data, moved);
  expect((await run(['user', 'list', '--data', moved])).stdout).toContain('bob');
  await rename(moved, data);
  expect(await listUsers()).toEqual(['bob']);
});

it.each([
  ['json', 'json', ['json:.', 'json:/srv/data']],
  ['sqlite', 'sqlite', ['sqlite:podsync.sqlite', 'sqlite:./podsync.sqlite', 'sqlite:/srv/data/podsync.sqlite']],
  ['sqlite:/srv/data/a/x.db', 'sqlite:a/x.db', ['sqlite:a/../a/x.db']],
  ['sqlite:../x.db', 'sqlite:/srv/x.db', ['sqlite:/srv/x.db']],
  ['postgres', 'postgres', []],
  [
    'postgres://me:secret@db/podsync',
    'postgres://me:***@db/podsync',
    ['postgresql://other@db:5432/podsync?sslmode=require', 'postgres://me:new@db/podsync'],
  ],
  [
    'postgres:///podsync?host=/run/a',
    'postgres:///podsync?host=/run/a',
    ['postgresql:///podsync?host=/run/a&sslmode=disable'],
  ],
  [
    'postgres://me:secret@a,b:6000/podsync',
    'postgres://me:***@a,b:6000/podsync',
    ['postgres://you@a/podsync', 'postgres://you:new@c,b:6000/podsync?sslmode=require'],
  ],
  ['./plugin.js:here', `file://${process.cwd()}/plugin.js:here`, [`${process.cwd()}/plugin.js:here`]],
  ['@me/plugin:redis://me:secret@db', '@me/plugin:redis://me:***@db', ['@me/plugin:redis://me:new@db']],
])('%s is recorded as %s, and may be written in other ways', async (storage, recorded, same) => {
  const folder = await makeFolder();
  const inFolder = (text: string): string => text.replace('/srv', folder);
  const data = inFolder('/srv/data');
  await mkdir(data);
  await writeStorageRecord({ data, storage: inFolder(storage) });
  expect(await readStorageRecord(data)).toBe(inFolder(recorded));
  for (const each of [storage, recorded, ...same]) {
    await requireRecordedStorage({ data, storage: inFolder(each) });
  }
  for (const other of ['json:other', 'sqlite:other', 'postgres://db/other', 'postgres://other/podsync', './other.js']) {
    await expect(requireRecordedStorage({ data, storage: other })).rejects.toThrow('is used with the storage');
  }
});

it('a recorded database keeps its spelling until its hosts change', async () => {
  const data = await makeFolder();
  const first = 'postgres://me:***@db/podsync';
  for (const [storage, recorded] of [
    ['postgres://me:secret@db/podsync', first],
    ['postgresql://db:5432/podsync?sslmode=require', first],
    ['postgres://db,spare/podsync', 'postgres://db,spare/podsync'],
  ] as const) {
    await writeStorageRecord({ data, storage });
    expect(await readStorageRecord(data)).toBe(recorded);
  }
});

it('the hosts of a database may be replaced one by one', async () => {
  const data = await makeFolder();
  for (const hosts of ['a', 'a,b,c', 'd,b,c', 'd,e,c', 'd,e,f']) {
    const storage = `postgres://${hosts}/podsync`;
    await requireRecordedStorage({ data, storage });
    await writeStorageRecord({ data, storage });
  }
  await expect(requireRecordedStorage({ data, storage: 'postgres://a,b,c/podsync' })).rejects.toThrow('is used with');
});

it.each([
  ['', 'cannot be read; remove it and name the storage with --storage'],
  ['null', 'cannot be read; remove it and name the storage with --storage'],
  ['{"version":1,"storage":""}', 'cannot be read; remove it and name the storage with --storage'],
  ['{"version":2,"place":{}}', 'was written by a newer version of podsync; install that version'],
])('does not guess what the record %j means', async (content, says) => {
  const { data, record, podsync } = await makeSubject();
  await writeFile(record, content);
  const stderr = `[error] ${record} ${says}\n`;
  expect(await podsync(['user', 'list'])).toEqual({ code: 1, stdout: '', stderr });
  expect(await podsync(['serve', '--port', '0', '--storage', 'json'])).toEqual({ code: 1, stdout: '', stderr });
  expect(await readFile(join(data, 'podsync.json'), 'utf8')).toBe(content);
});
