import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { HAS_SQLITE } from '../sqlite-driver.ts';
import { COMMANDS } from './commands.ts';
import { PROGRAM, run, type Server, startServer } from './podsync.ts';

// In a separate folder, where no packages can be found.
const home = mkdtempSync(join(tmpdir(), 'podsync-bundle-'));
const program = join(home, 'podsync.mjs');

copyFileSync(PROGRAM, program);
afterAll(() => rmSync(home, { recursive: true }));

const FEED = '<rss version="2.0"><channel><title>Alpha Hour</title></channel></rss>';
const web = createServer((_request, response) => response.end(FEED)).listen(0, '127.0.0.1');
beforeAll(() => web.listening || once(web, 'listening'));
afterAll(() => web.close());
const feedUrl = (): string => `http://127.0.0.1:${(web.address() as AddressInfo).port}/alpha.xml`;

const basic = (name: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

/** Uploads one action after another until it is stopped; returns the status of each. */
function uploadConstantly({ url }: Server): () => Promise<number[]> {
  const stopping = new AbortController();
  const work = (async () => {
    const statuses: number[] = [];
    while (!stopping.signal.aborted) {
      const episode = `https://media.example/${statuses.length}.mp3`;
      const body = JSON.stringify([{ podcast: feedUrl(), episode, action: 'download', device: 'phone' }]);
      const headers = basic('bob', 'secret');
      statuses.push((await fetch(`${url}/api/2/episodes/bob.json`, { method: 'POST', headers, body })).status);
    }
    return statuses;
  })();
  return () => {
    stopping.abort();
    return work;
  };
}

/** The running server with uploads by bob, and functions that run commands. */
interface Context {
  server: Server;
  /** Runs a command, which must succeed; returns its standard output. */
  podsync(args: readonly string[], input?: string): Promise<string>;
  /** Runs a command, which must be refused; returns its error. */
  refused(args: readonly string[]): Promise<string>;
  login(name: string, password: string): Promise<number>;
}

/** A check of each command, in order: some depend on earlier ones. */
const CASES: Record<string, (world: Context) => Promise<void>> = {
  async 'user add'({ podsync, login }) {
    const password = (await podsync(['user', 'add', 'eve', '--generate'])).trim();
    expect(await login('eve', password)).toBe(200);
  },
  async 'user passwd'({ podsync, login }) {
    await podsync(['user', 'passwd', 'eve', '--password-stdin'], 'another');
    expect(await login('eve', 'another')).toBe(200);
  },
  async 'user rename'({ podsync, login }) {
    await podsync(['user', 'rename', 'eve', 'eva']);
    expect(await login('eva', 'another')).toBe(200);
  },
  async 'user sessions'({ podsync }) {
    expect(JSON.parse(await podsync(['user', 'sessions', 'eva', '--json']))).not.toEqual([]);
    await podsync(['user', 'sessions', 'eva', '--end']);
    expect(JSON.parse(await podsync(['user', 'sessions', 'eva', '--json']))).toEqual([]);
  },
  async 'import-opml'({ podsync, server }) {
    const opml = `<opml version="2.0"><body><outline type="rss" text="One" xmlUrl="${feedUrl()}"/></body></opml>`;
    await podsync(['import-opml', '-', '--user', 'eva', '--device', 'tv'], opml);
    const answer = await fetch(`${server.url}/subscriptions/eva/tv.json`, { headers: basic('eva', 'another') });
    expect(await answer.json()).toEqual([feedUrl()]);
  },
  async export({ podsync }) {
    expect(await podsync(['export', '--user', 'eva', '--format', 'txt'])).toBe(`${feedUrl()}\n`);
    await podsync(['export', '--user', 'bob', '--format', 'backup', '-o', 'bob.ndjson.gz']);
  },
  async import({ podsync, login }) {
    await podsync(['import', 'bob.ndjson.gz', '--as', 'robert']);
    expect(await login('robert', 'secret')).toBe(200);
    expect(await show('robert', podsync)).toMatchObject({ actions: expect.any(Number), devices: [{ id: 'phone' }] });
  },
  async pull({ podsync, server }) {
    await podsync(['pull', server.url, '--user', 'eva', '--remote-user', 'bob', '--password-stdin'], 'secret');
    const { actions } = await show('eva', podsync);
    expect(actions).toBeGreaterThan(0);
  },
  async 'user show'({ podsync }) {
    expect(await show('eva', podsync)).toMatchObject({ name: 'eva', subscriptions: 1 });
  },
  async 'feeds update'({ podsync, server }) {
    expect(await podsync(['feeds', 'update', '--all'])).toBe('1 feed tried, 0 failed\n');
    const answer = await fetch(`${server.url}/api/2/data/podcast.json?url=${encodeURIComponent(feedUrl())}`);
    expect(await answer.json()).toMatchObject({ title: 'Alpha Hour' });
  },
  async 'feeds list'({ podsync }) {
    expect(JSON.parse(await podsync(['feeds', 'list', '--json']))).toMatchObject([{ url: feedUrl(), state: 'ok' }]);
  },
  async 'toplist rebuild'({ podsync }) {
    expect(await podsync(['toplist', 'rebuild', '--json'])).toBe('{"podcasts":1,"corrected":0}\n');
  },
  async check({ podsync }) {
    expect(JSON.parse(await podsync(['check', '--json']))).toMatchObject({ damage: [] });
  },
  async serve({ refused, login }) {
    expect(await refused(['serve', '--port', '0'])).toMatch(/a server is already running on /);
    expect(await login('bob', 'secret')).toBe(200);
  },
  async migrate({ refused }) {
    expect(await refused(['migrate', '--from', 'json', '--to', 'json:moved'])).toMatch(
      /a server is running on .*stop it first/,
    );
  },
  async config({ podsync }) {
    expect(await podsync(['config'])).toMatch(/^port +3000 +default$/m);
  },
  async completion({ podsync }) {
    expect(await podsync(['completion', 'bash'])).toContain('complete -o default -F _podsync podsync');
  },
  async 'user app-password add'({ podsync, login }) {
    const password = (await podsync(['user', 'app-password', 'add', 'eva', '--label', 'Phone'])).trim();
    expect(await login('eva', password)).toBe(200);
  },
  async 'user app-password list'({ podsync }) {
    expect(await podsync(['user', 'app-password', 'list', 'eva'])).toContain('Phone');
  },
  async 'user app-password revoke'({ podsync }) {
    const listed = await podsync(['user', 'app-password', 'list', 'eva', '--json']);
    const [{ id }] = JSON.parse(listed) as [{ id: string }];
    await podsync(['user', 'app-password', 'revoke', 'eva', id]);
    expect(JSON.parse(await podsync(['user', 'app-password', 'list', 'eva', '--json']))).toEqual([]);
  },
  async 'user reset'({ podsync, server }) {
    const link = (await podsync(['user', 'reset', 'eva'])).trim();
    expect(link).toMatch(/\/welcome\/[\w.-]+$/);
    expect((await fetch(`${server.url}${new URL(link).pathname}`)).status).toBe(200);
  },
  async 'user invite'({ podsync }) {
    expect(await podsync(['user', 'invite', 'carol'])).toContain('/welcome/');
    await podsync(['user', 'remove', 'carol', '--yes']);
  },
  async 'user remove'({ podsync, login }) {
    for (const name of ['eva', 'robert']) await podsync(['user', 'remove', name, '--yes']);
    expect(await login('eva', 'another')).toBe(401);
  },
  async 'user list'({ podsync }) {
    expect(JSON.parse(await podsync(['user', 'list', '--json']))).toMatchObject([{ name: 'bob' }]);
  },
};

const show = async (name: string, podsync: Context['podsync']): Promise<Record<string, unknown>> =>
  JSON.parse(await podsync(['user', 'show', name, '--json']));

it('runs every command during constant uploads', async () => {
  const cwd = await makeFolder();
  const data = join(cwd, 'podsync-data');
  const fetches = ['--no-fetch', 'false', '--allow-private-feeds'];
  const server = await startServer(['--data', data, ...fetches], { program, cwd });
  const podsync: Context['podsync'] = async (args, input = '') => {
    const { code, stdout, stderr } = await run(args, { program, cwd, input });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining('[error]') });
    return stdout;
  };
  const refused: Context['refused'] = async (args) => {
    const { code, stdout, stderr } = await run(args, { program, cwd });
    expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
    return stderr;
  };
  const login: Context['login'] = async (name, password) =>
    (await fetch(`${server.url}/api/2/devices/${name}.json`, { headers: basic(name, password) })).status;

  await podsync(['user', 'add', 'bob', '--password-stdin'], 'secret');
  const stop = uploadConstantly(server);
  expect(Object.keys(CASES).toSorted(), 'a case for each command').toEqual(COMMANDS.toSorted());
  for (const command of Object.keys(CASES)) await CASES[command]!({ server, podsync, refused, login });

  const statuses = await stop();
  expect(new Set(statuses)).toEqual(new Set([200]));
  server.kill('SIGTERM');
  await server.ended;
  expect(await show('bob', podsync)).toMatchObject({ actions: statuses.length });
  await podsync(['migrate', '--from', 'json', '--to', 'json:moved']);
  const moved = JSON.parse(await podsync(['user', 'show', 'bob', '--json', '--storage', 'json:moved']));
  expect(moved).toMatchObject({ actions: statuses.length });
});

it.runIf(HAS_SQLITE)('stores data in SQLite without other files or packages, and without warnings', async () => {
  const cwd = await makeFolder();
  const storage = ['--data', cwd, '--storage', 'sqlite:podsync.db'];
  const added = await run(['user', 'add', 'bob', '--password-stdin', ...storage], { program, cwd, input: 'secret' });
  expect(added).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/warning/i) });
  const server = await startServer(storage, { program, cwd });
  const stop = uploadConstantly(server);
  const statuses = await stop();
  expect(new Set(statuses)).toEqual(new Set([200]));
  server.kill('SIGTERM');
  expect((await server.ended).stderr).not.toMatch(/warning/i);
  const { stdout } = await run(['user', 'show', 'bob', '--json', ...storage], { program, cwd });
  expect(JSON.parse(stdout)).toMatchObject({ actions: statuses.length });
});

it.skipIf(HAS_SQLITE)('explains what SQLite requires on a Node without it', async () => {
  const cwd = await makeFolder();
  const storage = ['--data', cwd, '--storage', 'sqlite:podsync.db'];
  const { code, stderr } = await run(['user', 'add', 'bob', '--generate', ...storage], { program, cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^\[error\] the SQLite storage needs Node 22\.13 or newer, or the package [^\n]*\n$/);
});

it('includes the licences of its packages', async () => {
  const licences = await readFile(join(PROGRAM, '../podsync-licences.txt'), 'utf8');
  expect(licences).toMatch(/^h3 \S+ \(MIT\)\n\nMIT License\n\nCopyright/m);
});
