import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { type OtherServer, startOtherServer, type OtherAccount } from '../pull/other-server.ts';
import { makeCopy, run, start, startServer } from './podsync.ts';
import { startOnTerminal } from './terminal.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;

const ACCOUNT: OtherAccount = {
  devices: [{ id: 'phone', caption: 'Phone', type: 'mobile' }],
  subscriptions: { phone: ['https://feeds.example/1', 'HTTPS://feeds.example/2', 'ftp://feeds.example/3'] },
  actions: [
    { podcast: 'https://feeds.example/1', episode: 'https://media.example/1.mp3', action: 'download', timestamp: null },
  ],
  settings: { account: { public_profile: false } },
  lists: [{ name: 'news', title: 'News', entries: ['https://feeds.example/1'] }],
};

let other: OtherServer;
beforeEach(async () => {
  other = await startOtherServer(ACCOUNT, { cap: 1000, by: 'own time', order: 'own time', answers: 'last delivered' });
});
afterEach(() => other.close());

/** A data folder with the account bob, with a different password than on the other server. */
const makeData = (): Promise<string> =>
  makeCopy('bob', async (folder) => {
    await run(['user', 'add', 'bob', '--password-stdin', '--data', folder], { input: 'here' });
  });

const show = async (data: string): Promise<Record<string, unknown>> =>
  JSON.parse((await run(['user', 'show', 'bob', '--json', '--data', data])).stdout);

const PULLED = {
  devices: [{ id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 2 }],
  subscriptions: 2,
  actions: 1,
  lists: [{ name: 'news', title: 'News' }],
};

it('copies an account, reports the result, and duplicates nothing if it is repeated', async () => {
  const data = await makeData();
  const pull = (...args: string[]) =>
    run(['pull', `${other.url}/`, '--user', 'bob', '--password-stdin', '--data', data, ...args], { input: 'secret' });
  const { code, stdout, stderr } = await pull();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { host } = new URL(other.url);
  expect(stdout).toBe(
    `devices          1
subscriptions    2
device groups    0
episode actions  1
settings         1
podcast lists    1
rewritten        1
refused          1
rewritten  HTTPS://feeds.example/2 -> https://feeds.example/2
refused    ftp://feeds.example/3: a feed address must begin with http:// or https://
changed: an episode action has no time: it counts as the oldest
missing: favourite episodes: ${host} answered 404 (Not Found)
missing: settings of devices: ${host} answered 404 (Not Found)
missing: settings of podcasts: ${host} answered 404 (Not Found) (3 times)
missing: device groups: ${host} answered 404 (Not Found)
`,
  );
  expect(await show(data)).toMatchObject(PULLED);
  expect(JSON.parse((await pull('--json')).stdout)).toMatchObject({ devices: 1, subscriptions: 2, actions: 1 });
  expect(await show(data)).toMatchObject(PULLED);
});

it('copies an account of another name into a running server', async () => {
  const data = await makeData();
  const agents = new Set<string | undefined>();
  other.intercept = (_path, request) => {
    agents.add(request.headers['user-agent']);
    return undefined;
  };
  const server = await startServer(['--data', data]);
  const args = ['--user', 'bob', '--password-stdin', '--json', '--data', data];
  const wrong = await run(['pull', other.url, '--remote-user', 'robert', ...args], { input: 'secret' });
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/this user name/) });
  expect(other.requests).toEqual(['/api/2/devices/robert.json']);
  expect((await run(['pull', other.url, ...args], { input: 'secret' })).code).toBe(0);
  const answer = await fetch(`${server.url}/subscriptions/bob/phone.txt`, {
    headers: { authorization: `Basic ${btoa('bob:here')}` },
  });
  expect(await answer.text()).toBe('https://feeds.example/1\nhttps://feeds.example/2\n');
  expect([...agents]).toEqual([expect.stringMatching(/^podsync\/\d/)]);
});

it('says how to continue after Ctrl-C, and the next run imports the rest', async () => {
  const data = await makeData();
  const args = ['pull', other.url, '--user', 'bob', '--password-stdin', '--data', data];
  const stuck = new Promise<void>((resolve) => {
    other.intercept = (path, request) => {
      if (!path.startsWith('/api/2/episodes')) return undefined;
      request.socket.pause();
      resolve();
      return { status: 200, headers: { 'content-length': '10' } };
    };
  });
  const pull = start(args, { input: 'secret' });
  await stuck;
  pull.kill('SIGINT');
  const { code, stdout, stderr } = await pull.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^\[error\] stopped; imported data is kept, and running the command again imports the rest\n$/,
  );
  expect(await show(data)).toMatchObject({ subscriptions: 2, actions: 0 });

  other.intercept = () => undefined;
  expect((await run(args, { input: 'secret' })).code).toBe(0);
  expect(await show(data)).toMatchObject(PULLED);
});

it('asks for the password and shows progress on a terminal, and leaves no trace of either', async () => {
  const data = await makeData();
  const terminal = startOnTerminal(['pull', other.url, '--user', 'bob', '--data', data]);
  await terminal.shows(/Password on 127\.0\.0\.1:\d+: /);
  terminal.type('secret\r');
  await terminal.shows(/requests to 127\.0\.0\.1:\d+ .* \d+ of \d+, [\d.,]+\/s, .*left/);
  const { code, screen } = await terminal.ended;
  expect(code).toBe(0);
  expect(screen).not.toContain('secret');
  expect(stripVTControlCharacters(screen)).toMatch(/podcast lists +1/);
});

it.each([[[]], [['--nextcloud']]])(
  'asks for no password and no access if there is no account here: %j',
  async (args) => {
    const data = await makeData();
    const { code, screen } = await startOnTerminal(['pull', other.url, '--user', 'eve', '--data', data, ...args]).ended;
    expect(code).toBe(1);
    expect(screen).toMatch(/there is no account eve on this server/);
    expect(screen).not.toMatch(/Password on|Open this link/);
    expect(other.requests).toEqual([]);
  },
);

it.each([
  {
    args: ['--user', 'eve'],
    input: 'secret',
    says: /there is no account eve on this server; create it with: .* user add eve --data /,
  },
  {
    args: ['--user', 'eve@example.org'],
    input: 'secret',
    says: /there is no account eve@example\.org on this server; create it with: .* user add NAME --email eve@example\.org --data /,
  },
  { args: ['--user', 'bob'], input: 'wrong', says: /does not accept this user name and password/ },
  {
    path: '/x',
    args: ['--user', 'bob'],
    input: 'secret',
    says: /there is no gpodder-compatible server at this address/,
  },
  { args: ['--user', 'bob'], input: '', says: /standard input is empty; it must contain the password/ },
])('a failure exits with code 1 and one sentence: %j', async ({ path = '', args, input, says }) => {
  const data = await makeData();
  const result = await run(['pull', other.url + path, ...args, '--password-stdin', '--data', data], { input });
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_SENTENCE) });
  expect(result.stderr).toMatch(says);
});

it.each([
  { url: 'http://pods.example', warns: true },
  { url: 'http://127.0.0.1:3000', warns: false },
  { url: 'https://pods.example', warns: false },
  { url: 'pods.example', warns: false },
])('warns if the password is sent unencrypted over the network: $url', async ({ url, warns }) => {
  const { stderr } = await run(['pull', url, '--user', 'bob', '--password-stdin'], { cwd: await makeFolder() });
  expect(stderr.startsWith('[warn] The password is sent unencrypted')).toBe(warns);
});

it.each([
  { args: ['https://bob:secret@pods.example'], says: /<url> must be an http or https address/ },
  { args: ['ftp://pods.example'], says: /<url> must be an http or https address/ },
  { args: ['pods.example', '--password', 'secret'], says: /unknown option '--password'/ },
  { args: ['pods.example'], says: /no terminal to ask for a password; use --password-stdin/ },
])('wrong usage exits with code 2: %j', async ({ args, says }) => {
  const result = await run(['pull', ...args, '--user', 'bob'], { cwd: await makeFolder() });
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
});

it('takes over an account of a Nextcloud, with a password or with access granted in a browser', async () => {
  const server = await startServer();
  await run(['user', 'add', 'bob', '--password-stdin', '--data', server.data], { input: 'secretsecret' });
  const headers = { authorization: `Basic ${Buffer.from('bob:secretsecret').toString('base64')}` };
  const change = `${server.url}/index.php/apps/gpoddersync/subscription_change/create`;
  const body = JSON.stringify({ add: ['https://feeds.example/1'] });
  expect((await fetch(change, { method: 'POST', headers, body })).status).toBe(200);

  const data = await makeData();
  const args = ['pull', server.url, '--nextcloud', '--user', 'bob', '--data', data, '--json'];
  const byPassword = await run([...args, '--password-stdin'], { input: 'secretsecret' });
  expect(byPassword).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(byPassword.stdout)).toMatchObject({ subscriptions: 1, actions: 0 });

  const pulling = start(args);
  await pulling.prints(/grant access to podsync: http:\S+\/authorize\?flow=/);
  pulling.kill('SIGTERM');
  await pulling.ended;
});
