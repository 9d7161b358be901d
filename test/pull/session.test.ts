import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openRemote, type Remote } from '../../src/pull/remote.ts';
import { openTestServer } from '../server.ts';
import { feed, media, open, pull, readAll } from './fixtures.ts';
import type { Intercepted, OtherServer } from './other-server.ts';

/*
 * Servers that accept the password only at login, and then want the session cookie.
 */

const DEVICES = ['api', '2', 'devices', 'bob.json'];
const LOGIN = '/api/2/auth/bob/login.json';
/** As gpodder2go sends it: base64, with a lifetime of two minutes that it does not check. */
const COOKIE = 'sessionid=c2VjcmV0L2Nvb2tpZQ==';
const SET_COOKIE = `${COOKIE}; Path=/api; Expires=Thu, 01 Jan 1970 00:02:00 GMT; HttpOnly; SameSite=Strict`;
const ACCOUNT = { devices: [{ id: 'phone' }], subscriptions: { phone: [feed(1)] }, actions: [] };

/** The response to a login with the right password, or the refusal of a request without the cookie. */
function guard(path: string, { method, headers }: IncomingMessage, refusal: number): Intercepted | undefined {
  if (path === LOGIN && method === 'POST') {
    const isRight = headers.authorization === `Basic ${btoa('bob:secret')}`;
    return isRight ? { status: 200, headers: { 'set-cookie': SET_COOKIE } } : { status: refusal };
  }
  return headers.cookie === COOKIE ? undefined : { status: refusal };
}

function connect(address: string, password = 'secret'): Remote {
  const remote = openRemote({ address, user: 'bob', password, userAgent: 'podsync/test' });
  onTestFinished(() => remote.close());
  return remote;
}

const logins = (other: OtherServer): number => other.requests.filter((path) => path === LOGIN).length;

it.each([400, 401, 403])('logs in once to a server that answers %i without a session cookie', async (refusal) => {
  const other = await open(ACCOUNT);
  other.intercept = (path, request) => guard(path, request, refusal);
  const { devices, subscriptions } = await pull(await openTestServer(), other.url);
  expect([devices, subscriptions]).toEqual([1, 1]);
  expect(logins(other)).toBe(1);
});

it('imports devices and subscriptions from gpodder2go, whose lists are OPML and which returns no episode actions', async () => {
  const other = await open({ devices: [], subscriptions: {}, actions: [] });
  const opml = '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><body></body></opml>';
  const answers: Record<string, string> = {
    '/api/2/devices/bob.json': '[{"id":"phone","caption":"Phone","type":"mobile","subscriptions":2}]',
    '/subscriptions/bob.json': opml,
    '/subscriptions/bob/phone.json': opml,
    '/api/2/subscriptions/bob/phone.json?since=0': JSON.stringify({
      add: [feed(1), feed(2)],
      remove: [feed(3)],
      timestamp: 1722520540,
    }),
    '/api/2/episodes/bob.json?since=0': '{"actions":[],"timestamp":1722520540}',
    '/api/2/sync-devices/bob.json': '{"synchronized":null,"not-synchronize":null}',
  };
  other.intercept = (path, request) => {
    const refused = guard(path, request, 401);
    if (refused) return refused;
    return path in answers ? { status: 200, body: answers[path]! } : { status: 404, body: '404 page not found\n' };
  };
  const to = await openTestServer();
  const { devices, subscriptions, gaps } = await pull(to, other.url);
  expect([devices, subscriptions]).toEqual([1, 2]);
  expect(gaps.map(({ gap }) => gap.split(':', 1)[0])).toEqual([
    'subscriptions of the whole account',
    'favourite episodes',
    'settings of the account (no other settings were requested)',
    'podcast lists',
  ]);
  expect(await readAll(to, ['/subscriptions/bob/phone.json'])).toEqual({
    '/subscriptions/bob/phone.json': [feed(1), feed(2)],
  });
});

it('imports the episode actions of PodFetch 4.9, which has neither lists of URLs nor settings', async () => {
  const other = await open({ devices: [], subscriptions: {}, actions: [] });
  const action = { id: 1, username: 'bob', podcast: feed(1), guid: null, started: null, position: null, total: null };
  const answers: Record<string, unknown> = {
    '/api/2/devices/bob.json': [{ id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 0 }],
    '/api/2/subscriptions/bob/phone.json?since=0': { add: [feed(1)], remove: [], timestamp: 1771082000 },
    '/api/2/episodes/bob.json?since=0': {
      actions: [
        {
          ...action,
          device: 'webview',
          episode: media(2),
          timestamp: '2026-02-14T12:00:00.123456789',
          action: 'play',
          started: 5,
          position: 60,
          total: 600,
        },
        { ...action, device: 'phone', episode: media(1), timestamp: '2026-02-13T12:00:00', action: 'download' },
      ],
      timestamp: 1771082000,
    },
  };
  other.intercept = (path, request) => {
    const answer = answers[path];
    return guard(path, request, 403) ?? (answer ? { status: 200, body: JSON.stringify(answer) } : { status: 404 });
  };
  const to = await openTestServer();
  const { devices, subscriptions, actions, refused } = await pull(to, other.url);
  expect([devices, subscriptions, actions, refused]).toEqual([1, 1, 2, []]);
});

it('sends no login to a server that wants the password with each request, whether right or wrong', async () => {
  const other = await open(ACCOUNT);
  other.intercept = (path) => (path.includes('/settings/') ? { status: 403 } : undefined);
  await pull(await openTestServer(), other.url);
  await expect(connect(other.url, 'wrong').get(DEVICES)).rejects.toThrow(/does not accept this user name/);
  expect(logins(other)).toBe(0);
});

it.each([
  [401, 401, /does not accept this user name and password/],
  [400, 401, /does not accept this user name and password/],
  [403, 403, /answered 403 \(Forbidden\): the user name or password may be wrong/],
  [401, 404, /does not accept this user name and password/],
  [403, 404, /answered 403 \(Forbidden\): the user name or password may be wrong/],
  [400, 200, /answered 400 \(Bad Request\)$/],
])('reports what refused the password, without repeating it: %i, then %i at login', async (refusal, login, message) => {
  const other = await open(ACCOUNT);
  const refused = { status: login, headers: login === 200 ? {} : { 'set-cookie': 'visitor=1' } };
  other.intercept = (path) => (path === LOGIN ? refused : { status: refusal });
  await expect(pull(await openTestServer(), other.url)).rejects.toThrow(message);
  expect(other.requests).toEqual(['/api/2/devices/bob.json', LOGIN]);
});

it('no error contains the session cookie', async () => {
  const other = await open(ACCOUNT);
  for (const status of [302, 401, 403, 404, 500]) {
    other.intercept = (path, request) =>
      guard(path, request, 401) ?? { status, headers: { location: 'http://x.example/' }, body: COOKIE };
    const error = (await connect(other.url)
      .get(DEVICES)
      .catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(Error);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/c2VjcmV0/);
  }
});

it('sends all cookies of a login', async () => {
  const other = await open(ACCOUNT);
  other.intercept = (path, { headers }) => {
    if (path === LOGIN) return { status: 200, headers: { 'set-cookie': [SET_COOKIE, 'route=a1; Path=/'] } };
    return headers.cookie === `${COOKIE}; route=a1` ? undefined : { status: 401 };
  };
  expect(await connect(other.url).get(DEVICES)).toMatchObject([{ id: 'phone' }]);
});

it('sends the session cookie only to the origin that set it', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const plain = await open(ACCOUNT);
  const received: (string | undefined)[] = [];
  let answer = (_request: IncomingMessage): Intercepted => ({ status: 200, body: '[]' });
  const secure = createServer(
    {
      cert: readFileSync(new URL('../cli/tls/cert.pem', import.meta.url)),
      key: readFileSync(new URL('../cli/tls/key.pem', import.meta.url)),
    },
    (request, response) => {
      received.push(request.headers.cookie);
      const { status, headers, body } = answer(request);
      response.writeHead(status, headers).end(body);
    },
  ).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  onTestFinished(() => void secure.close());
  const elsewhere = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;

  plain.intercept = (path, request) =>
    guard(path, request, 401) ?? { status: 307, headers: { location: `${elsewhere}${path}` } };
  expect(await connect(plain.url).get(DEVICES)).toEqual([]);
  expect(received).toEqual([undefined]);

  const sent: (string | undefined)[] = [];
  plain.intercept = (path, request) => {
    sent.push(request.headers.cookie);
    return { status: 308, headers: { location: `${elsewhere}${path}` } };
  };
  answer = (request) => guard(request.url!, request, 401) ?? { status: 200, body: '[1]' };
  expect(await connect(plain.url).get(DEVICES)).toEqual([1]);
  expect(received).toEqual([undefined, undefined, undefined, COOKIE]);
  expect(sent).toEqual([undefined, undefined, undefined]);
});
