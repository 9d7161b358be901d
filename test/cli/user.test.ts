import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { makeCopy, run, type Server, startServer } from './podsync.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

const login = async ({ url }: Server, name: string, password: string): Promise<Response> =>
  fetch(`${url}/api/2/auth/${name}/login.json`, {
    method: 'POST',
    headers: { authorization: basic(name, password) },
  });

const send = async ({ url }: Server, method: string, path: string, body: unknown): Promise<void> => {
  const headers = { authorization: basic('bob', 'secret') };
  const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
};

/** A server with bob and eve; bob has two devices, three feeds, an action, a list and a session. */
async function setUp() {
  const data = await makeCopy('bob and eve', fillFolder);
  const server = await startServer(['--data', data]);
  const user = (args: readonly string[], input?: string) =>
    run(['user', ...args, '--data', data], input === undefined ? {} : { input });
  const cookie = (await login(server, 'bob', 'secret')).headers.get('set-cookie')!.split(';')[0]!;
  return { server, user, cookie };
}

async function fillFolder(data: string): Promise<void> {
  const server = await startServer(['--data', data]);
  const add = (...args: string[]) =>
    run(['user', 'add', ...args, '--password-stdin', '--data', data], { input: 'secret' });
  await add('bob', '--email', 'bob@example.org');
  await add('eve');
  const feeds = [1, 2, 3].map((n) => `https://feeds.example/${n}`);
  await send(server, 'PUT', '/subscriptions/bob/phone.json', feeds.slice(0, 2));
  await send(server, 'PUT', '/subscriptions/bob/tv.json', feeds.slice(1));
  await send(server, 'POST', '/api/2/devices/bob/tv.json', { caption: CAPTION, type: 'other' });
  await send(server, 'POST', '/api/2/episodes/bob.json', [
    { podcast: feeds[0], episode: 'https://media.example/1.mp3', action: 'download', device: 'phone' },
  ]);
  await fetch(`${server.url}/api/2/lists/bob/create.json?title=My%20News`, {
    method: 'POST',
    headers: { authorization: basic('bob', 'secret') },
    body: JSON.stringify(feeds),
  });
  await stop(server);
}

const devicesBy = async ({ url }: Server, cookie: string, name = 'bob'): Promise<number> =>
  (await fetch(`${url}/api/2/devices/${name}.json`, { headers: { cookie } })).status;

/** Stops the server, to test the same without one. */
async function stop(server: Server): Promise<void> {
  server.kill('SIGTERM');
  await server.ended;
}

/** It must not clear the terminal. */
const CAPTION = 'The\u001b[2J\u009b2J TV';

const BOB = { name: 'bob', email: 'bob@example.org', created: TIME, lastSync: TIME, devices: 2, subscriptions: 3 };
const SYNCED = { app: 'node', dialect: 'gpodder.net', lastSync: TIME };
const EVE = { name: 'eve', email: null, created: TIME, lastSync: null, devices: 0, subscriptions: 0 };

it('list and show print the same with and without a server, as JSON and as tables', async () => {
  const { server, user } = await setUp();
  const commands = [['list', '--json'], ['list'], ['show', 'bob', '--json'], ['show', 'BOB@example.org']];
  const runAll = async () => {
    const results = [];
    for (const args of commands) results.push(await user(args));
    return results;
  };
  const running = await runAll();
  expect(running.map(({ code, stderr }) => ({ code, stderr }))).toEqual(commands.map(() => ({ code: 0, stderr: '' })));
  const [list, listed, show, shown] = running.map(({ stdout }) => stdout) as [string, string, string, string];
  expect(JSON.parse(list)).toEqual([BOB, EVE]);
  expect(listed).toMatch(
    /^NAME +E-MAIL +.* +LAST SYNC +.*\nbob +bob@example\.org +2 +3( +\d{4}-\d\d-\d\d){2}\neve +- +0 +0 +- +\d\S+\n$/,
  );
  expect(JSON.parse(show)).toEqual({
    ...BOB,
    actions: 1,
    sessions: expect.any(Number),
    appPasswords: [],
    refusals: [],
    devices: [
      { id: 'phone', caption: '', type: 'other', subscriptions: 2, ...SYNCED },
      { id: 'tv', caption: CAPTION, type: 'other', subscriptions: 2, ...SYNCED },
    ],
    lists: [{ name: 'my-news', title: 'My News' }],
  });
  expect(shown).toMatch(/^episode actions +1$/m);
  expect(shown).toMatch(/^my-news +My News$/m);
  for (const each of [show, shown]) expect(each).not.toMatch(/[^\P{Cc}\n]/u);

  await stop(server);
  expect(await runAll()).toEqual(running);
});

it('no command prints a password hash or the digest of a session', async () => {
  const { user } = await setUp();
  for (const args of [['list'], ['show', 'bob'], ['sessions', 'bob']]) {
    expect((await user([...args, '--json'])).stdout).not.toMatch(/\$2b\$|digest|hash/i);
  }
});

describe('passwd', () => {
  it('changes the password and ends the sessions at once', async () => {
    const { server, user, cookie } = await setUp();
    expect(await devicesBy(server, cookie)).toBe(200);
    expect(await user(['passwd', 'bob', '--password-stdin'], 'another\n')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('[warn] This password has fewer than 8 characters'),
    });
    expect(await devicesBy(server, cookie)).toBe(401);
    expect((await login(server, 'bob', 'secret')).status).toBe(401);
    expect((await login(server, 'bob', 'another')).status).toBe(200);
    expect((await login(server, 'eve', 'secret')).status).toBe(200);
  });

  it('prints only a generated password to stdout', async () => {
    const { server, user } = await setUp();
    const { stdout } = await user(['passwd', 'bob', '--generate']);
    expect(stdout).toMatch(/^\S{20,}\n$/);
    expect((await login(server, 'bob', stdout.trim())).status).toBe(200);
  });
});

it('rename keeps all data and sessions, and frees the old name', async () => {
  const { server, user, cookie } = await setUp();
  expect(await user(['rename', 'bob', 'Robert'])).toMatchObject({ code: 0, stdout: '' });
  expect(await devicesBy(server, cookie, 'robert')).toBe(200);
  expect((await login(server, 'robert', 'secret')).status).toBe(200);
  expect((await login(server, 'bob', 'secret')).status).toBe(401);
  await stop(server);
  expect(JSON.parse((await user(['show', 'robert', '--json'])).stdout)).toMatchObject({ name: 'Robert', actions: 1 });
  expect((await user(['add', 'bob', '--generate'])).code).toBe(0);
});

it('remove deletes the account permanently, and no other one', async () => {
  const { server, user, cookie } = await setUp();
  expect(await user(['remove', 'bob', '--yes'])).toMatchObject({ code: 0, stdout: '' });
  expect(await devicesBy(server, cookie)).toBe(401);
  expect((await login(server, 'bob', 'secret')).status).toBe(401);
  await stop(server);
  expect(JSON.parse((await user(['list', '--json'])).stdout)).toEqual([EVE]);
});

it('remove without a terminal requires --yes, and changes nothing without it', async () => {
  const { user } = await setUp();
  const { code, stdout, stderr } = await user(['remove', 'bob']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/no terminal to ask .*--yes/);
  expect(JSON.parse((await user(['list', '--json'])).stdout)).toEqual([BOB, EVE]);
});

it('sessions lists the sessions, and --end ends them all', async () => {
  const { server, user, cookie } = await setUp();
  const open = JSON.parse((await user(['sessions', 'bob', '--json'])).stdout) as { used: string }[];
  expect(open.length).toBeGreaterThan(0);
  for (const each of open) {
    expect(each).toEqual({ used: TIME, expires: TIME });
    expect(Math.abs(Date.now() - Date.parse(each.used))).toBeLessThan(3_600_000);
  }
  expect((await user(['sessions', 'bob'])).stdout.split('\n')).toHaveLength(open.length + 2);

  expect((await user(['sessions', 'bob', '--end'])).stdout).toBe(
    `${open.length} session${open.length === 1 ? '' : 's'} ended\n`,
  );
  expect(await devicesBy(server, cookie)).toBe(401);
  expect((await login(server, 'bob', 'secret')).status).toBe(200);
  await stop(server);
  expect((await user(['sessions', 'bob', '--end', '--json'])).stdout).toBe('{"ended":1}\n');
  expect((await user(['sessions', 'bob', '--json'])).stdout).toBe('[]\n');
});

it.each([
  [['show', 'nobody'], /there is no account with this name or e-mail address/],
  [['passwd', 'nobody', '--generate'], /there is no account/],
  [['rename', 'nobody', 'bob'], /there is no account/],
  [['rename', 'eve', 'b/b'], /a user name is 1 to 150/],
  [['rename', 'eve', 'carol'], /already exists/],
  [['remove', 'nobody', '--yes'], /there is no account/],
  [['sessions', 'nobody'], /there is no account/],
  [['show', ''], /there is no account/],
  [['passwd', '.', '--generate'], /there is no account/],
  [['remove', '..', '--yes'], /there is no account/],
  [['remove', 'eve?', '--yes'], /there is no account/],
  [['show', 'eve/sessions'], /there is no account/],
])('a refusal exits 1 with one sentence: %j', async (args, says) => {
  const data = await makeCopy('eve and carol', async (folder) => {
    for (const name of ['eve', 'carol']) await run(['user', 'add', name, '--generate', '--data', folder]);
  });
  const { code, stdout, stderr } = await run(['user', ...args, '--data', data]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toMatch(says);
});

it('reports once that the first account created the data folder, as the path may be misspelled', async () => {
  const data = `${await makeFolder()}/other`;
  const created = `[info] Created the data folder ${data}; --data or PODSYNC_DATA selects another one\n`;
  const first = await run(['user', 'add', 'eve', '--generate', '--data', data]);
  expect(first.stderr.startsWith(created)).toBe(true);
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  const second = await run(['user', 'add', 'bob', '--generate', '--data', data]);
  expect(second.stderr).not.toContain('data folder');
});

it.each([['user', 'list'], ['check'], ['export', '--format', 'backup'], ['toplist', 'rebuild']])(
  'fails if the data folder is missing, and does not create it: %s %s',
  async (...args) => {
    const data = `${await makeFolder()}/other`;
    expect(await run([...args, '--data', data])).toEqual({
      code: 1,
      stdout: '',
      stderr: `[error] the data folder ${data} does not exist; select the right one with --data\n`,
    });
    expect(existsSync(data)).toBe(false);
  },
);

it.each(['sqlite', 'sqlite:podsync.db', 'json:files'])(
  'a storage in the data folder requires the folder: %s',
  async (storage) => {
    const data = `${await makeFolder()}/other`;
    const { code, stderr } = await run(['user', 'list', '--storage', storage, '--data', data]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`the data folder ${data} does not exist`),
    });
    expect(existsSync(data)).toBe(false);
  },
);

it('a storage outside the data folder does not require the folder', async () => {
  const [data, memory] = [`${await makeFolder()}/other`, './examples/memory-storage/memory-storage.js:demo'];
  for (const command of [['user', 'list'], ['feeds', 'list', '--json'], ['check']]) {
    const { code, stderr } = await run([...command, '--storage', memory, '--data', data]);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
  }
  expect(existsSync(data)).toBe(false); // commands that only read

  const missing = `${await makeFolder()}/other`;
  const env = { PGHOST: '127.0.0.1', PGPORT: '1' }; // nothing listens there
  const { stderr } = await run(['user', 'list', '--storage', 'postgres', '--data', missing], { env });
  expect(stderr).toContain('cannot be reached');
  const file = `${missing}.db`;
  const typo = await run(['user', 'list', '--storage', `sqlite:${file}`, '--data', missing]);
  expect(typo.stderr).toBe(`[error] no storage found at ${file}; check --data and --storage\n`);
  expect(existsSync(missing)).toBe(false);
});

it.each([
  ['user', 'list'],
  ['check'],
  ['export', '--user', 'bob'],
  ['export', '--format', 'backup'],
  ['import-opml', '/dev/null', '--user', 'bob', '--device', 'phone'],
])('reports a misspelled storage as missing, and creates none: %s %s', async (...args) => {
  const data = await makeCopy('bob', async (folder) => {
    await run(['user', 'add', 'bob', '--generate', '--data', folder]);
  });
  const before = await readdir(data);
  for (const [storage, place] of [
    ['sqlite', 'podsync.sqlite'],
    ['sqlite:typo.db', 'typo.db'],
    [`sqlite:${data}/typo.db`, 'typo.db'],
    ['json:typo', 'typo'],
  ] as const) {
    expect(await run([...args, '--data', data, '--storage', storage])).toEqual({
      code: 1,
      stdout: '',
      stderr: `[error] no storage found at ${data}/${place}; check --data and --storage\n`,
    });
  }
  expect(await readdir(data)).toEqual(before);
});

it('with a running server, the --storage of a command is ignored', async () => {
  const { data } = await startServer();
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  const { code, stdout } = await run(['user', 'list', '--data', data, '--storage', 'sqlite:typo.db']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('bob') });
});
