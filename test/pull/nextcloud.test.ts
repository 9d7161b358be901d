import { describe, expect, it } from 'vitest';
import type { ImportChunk } from '../../src/domain/import-chunk.ts';
import { logInToNextcloud } from '../../src/pull/login-flow.ts';
import { readNextcloudAccount } from '../../src/pull/nextcloud.ts';
import { pullAccount } from '../../src/pull/pull.ts';
import { openRemote } from '../../src/pull/remote.ts';
import { resolveNamesTo, startDistantServer } from '../distant-server.ts';
import { findPort } from '../free-port.ts';
import { listen } from '../listen.ts';
import { openTestServer } from '../server.ts';
import { AUTH, feed, media, readAll } from './fixtures.ts';

const APPS = '/index.php/apps/gpoddersync';

/** A server with the Nextcloud interface: another podsync. */
async function openOther() {
  const other = await openTestServer({}, 'socket');
  const post = (path: string, body: unknown) => other.request('POST', APPS + path, { auth: AUTH, body });
  await post('/subscription_change/create', { add: [feed(1), feed(2)] });
  await post('/episode_action/create', [
    {
      podcast: feed(1),
      episode: media(1),
      guid: 'a',
      action: 'PLAY',
      timestamp: '2020-01-01T00:00:00',
      started: 0,
      position: 5,
      total: 10,
    },
    { podcast: feed(2), episode: media(2), action: 'DOWNLOAD', timestamp: '2020-01-01T00:00:00+00:00' },
  ]);
  return { ...other, address: other.origin! };
}

it('imports subscriptions and actions of a Nextcloud, and adds nothing when it is repeated', async () => {
  const { address } = await openOther();
  const { services, storage, request } = await openTestServer();
  const { id } = (await storage.users.find('bob'))!;
  const pull = () => {
    const remote = openRemote({ address, user: 'bob', password: 'secret', userAgent: 'podsync/test' });
    const importChunk = (chunk: ImportChunk) => services.pull.importChunk(id, chunk);
    return pullAccount(remote, importChunk, undefined, readNextcloudAccount).finally(() => remote.close());
  };
  const report = await pull();
  expect(report).toMatchObject({ subscriptions: 2, actions: 2, refused: [] });
  expect(report.gaps.map(({ gap }) => gap)).toEqual([
    'devices, settings and podcast lists: a Nextcloud has none',
    'earlier actions of an episode: a Nextcloud keeps only the last one',
  ]);
  const paths = ['/subscriptions/bob/nextcloud.json', '/api/2/episodes/bob.json'];
  const first = await readAll({ request } as Parameters<typeof readAll>[0], paths);
  expect(first).toMatchObject({
    [paths[0]!]: [feed(1), feed(2)],
    [paths[1]!]: {
      actions: [
        { episode: media(1), guid: 'a', action: 'play', started: 0, position: 5, total: 10 },
        { episode: media(2), action: 'download', timestamp: '2020-01-01T00:00:00' },
      ],
    },
  });
  await pull();
  expect(await readAll({ request } as Parameters<typeof readAll>[0], paths)).toEqual(first);
});

it('reports an address without the app', async () => {
  const { address } = await openOther();
  const account = { user: 'bob', password: 'secret', userAgent: 'podsync/test' };
  const remote = openRemote({ address: `${address}/else`, ...account });
  const importChunk = (): Promise<never> => Promise.reject(new Error('there is nothing to import'));
  await expect(pullAccount(remote, importChunk, undefined, readNextcloudAccount)).rejects.toThrow(
    'answered 404 (Not Found): there is no Nextcloud with the app GPodder Sync at this address; it may lack a path',
  );
  await remote.close();
});

it('logs in with the link that the user opens in a browser', async () => {
  const { address, services } = await openOther();
  const { id } = await services.administration.find('bob');
  let [flow, app] = ['', ''];
  let polls = 0;
  const login = await logInToNextcloud({
    address,
    userAgent: 'podsync/test',
    show: (link) => void (flow = new URL(link).searchParams.get('flow')!),
    async wait() {
      polls += 1;
      if (polls < 3) return;
      ({ app } = await services.loginFlow.read(flow));
      await services.loginFlow.grant(flow, id, 'podsync');
    },
  });
  expect([login.user, polls, app]).toEqual(['bob', 3, 'podsync/test']);
  const headers = { authorization: `Basic ${Buffer.from(`bob:${login.password}`).toString('base64')}` };
  expect((await fetch(`${address}${APPS}/subscriptions`, { headers })).status).toBe(200);
});

it('logs in to a distant Nextcloud of which only the first address can be reached', async () => {
  const link = 'https://distant.test/login';
  const port = await startDistantServer(JSON.stringify({ poll: { token: 'a' }, login: link }));
  resolveNamesTo('127.0.0.1', '127.0.0.2');
  const shown: string[] = [];
  const login = logInToNextcloud({
    address: `http://distant.test:${port}`,
    userAgent: 'podsync/test',
    show: (shownLink) => void shown.push(shownLink),
    wait: () => Promise.reject(new Error('shown')),
  });
  await expect(login).rejects.toThrow('shown');
  expect(shown).toEqual([link]);
});

it('sends the token of a login only to the given server, whatever that names as the address to poll', async () => {
  const received: string[] = [];
  const elsewhere = await listen((request, response) => {
    received.push(request.url!);
    response.end('{}');
  });
  const { origin } = await listen((request, response) => {
    const poll = { token: 'a', endpoint: `${elsewhere.origin}/poll` };
    const begun = { poll, login: 'https://example.org/login' };
    const granted = { loginName: 'bob', appPassword: 'secret' };
    response.end(JSON.stringify(request.url === '/index.php/login/v2' ? begun : granted));
  });
  const wait = async (): Promise<void> => undefined;
  const login = await logInToNextcloud({ address: origin, userAgent: '', show: () => undefined, wait });
  expect([login, received]).toEqual([{ user: 'bob', password: 'secret' }, []]);
});

it.each([404, 429, 503])('continues a login to which the server answers %i for a while', async (status) => {
  let requests = 0;
  const { origin } = await listen((_request, response) => {
    requests += 1;
    const begun = { poll: { token: 'a' }, login: 'https://example.org/login' };
    const granted = { loginName: 'bob', appPassword: 'secret' };
    if (requests === 2) response.writeHead(status).end('<p>Try again later');
    else response.end(JSON.stringify(requests === 1 ? begun : granted));
  });
  const wait = async (): Promise<void> => undefined;
  const login = await logInToNextcloud({ address: origin, userAgent: '', show: () => undefined, wait });
  expect(login).toEqual({ user: 'bob', password: 'secret' });
});

it('continues a login during which the connection is lost for a while', async () => {
  let requests = 0;
  const { origin } = await listen((_request, response) => {
    requests += 1;
    const begun = { poll: { token: 'a' }, login: 'https://example.org/login' };
    const granted = { loginName: 'bob', appPassword: 'secret' };
    if (requests === 2 || requests === 3) response.destroy();
    else response.end(JSON.stringify(requests === 1 ? begun : granted));
  });
  const wait = async (): Promise<void> => undefined;
  const login = await logInToNextcloud({ address: origin, userAgent: '', show: () => undefined, wait });
  expect(login).toEqual({ user: 'bob', password: 'secret' });
});

it('reports a connection that was lost and did not come back, instead of an access that was not granted', async () => {
  let requests = 0;
  const { origin } = await listen((_request, response) => {
    requests += 1;
    const begun = { poll: { token: 'a' }, login: 'https://example.org/login' };
    if (requests > 1) response.destroy();
    else response.end(JSON.stringify(begun));
  });
  let waited = 0;
  const wait = async (seconds: number): Promise<void> => void (waited += seconds);
  const login = logInToNextcloud({ address: origin, userAgent: '', show: () => undefined, wait, now: () => waited });
  await expect(login).rejects.toThrow(`${new URL(origin).host}: `);
  expect(waited).toBe(20 * 60);
});

it('fails if access is not granted, or if there is no Nextcloud', async () => {
  const { address } = await openOther();
  const options = { userAgent: 'podsync/test', show: () => undefined };
  let waited = 0;
  const wait = async (seconds: number): Promise<void> => void (waited += seconds);
  const now = (): number => waited;
  await expect(logInToNextcloud({ ...options, address, wait, now })).rejects.toThrow(/^access was not granted on /);
  expect(waited).toBe(20 * 60);
  await expect(logInToNextcloud({ ...options, address: `${address}/else`, wait })).rejects.toThrow(
    /answered 404 instead of starting a Nextcloud login/,
  );
  const port = await findPort();
  await expect(logInToNextcloud({ ...options, address: `http://localhost:${port}`, wait })).rejects.toThrow(
    `localhost:${port}: the server refuses connections`,
  );
});

describe('the link of a login', () => {
  const wait = () => Promise.reject(new Error('it would wait for access'));
  /** What is shown if the server answers with this login, and the error. */
  const logIn = async (answer: object, prefix = '') => {
    const { origin } = await listen((_request, response) => void response.end(prefix + JSON.stringify(answer)));
    const shown: string[] = [];
    const login = logInToNextcloud({ address: origin, userAgent: '', show: (link) => void shown.push(link), wait });
    const { message } = (await login.catch((error: unknown) => error)) as Error;
    return { shown, message };
  };

  it('cannot control the terminal', async () => {
    const { shown } = await logIn({ poll: { token: 'a' }, login: 'https://example.org/\u001b[2Jlogin\n' });
    expect(shown).toEqual(['https://example.org/%1B[2Jlogin']);
  });

  it.each(['', 'javascript:alert(1)', 'http://', undefined])(
    'is refused if it is no web address: %j',
    async (login) => {
      const { shown, message } = await logIn({ poll: { token: 'a' }, login });
      expect([shown, message]).toEqual([[], 'the server returned a login in a format that podsync does not know']);
    },
  );

  it('is shown also if a byte order mark precedes the answer', async () => {
    const login = 'https://example.org/login';
    expect((await logIn({ poll: { token: 'a' }, login }, '\ufeff')).shown).toEqual([login]);
  });

  it('is refused in an answer that is far too large', async () => {
    const filler = 'x'.repeat(100_000);
    expect((await logIn({ poll: { token: 'a' }, login: 'https://example.org/', filler })).shown).toEqual([]);
  });
});
