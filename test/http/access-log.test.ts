import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { type FinishedRequest, redactPath } from '../../src/http/access-log.ts';
import { openTestServer, type TestServerOptions } from '../server.ts';

/** A server on a socket, and its access log: resolves with as many requests as are expected. */
async function open(options: TestServerOptions = {}) {
  const reported: FinishedRequest[] = [];
  const waiting = new Set<() => void>();
  const onRequest = (request: FinishedRequest): void => {
    reported.push(request);
    for (const look of waiting) look();
  };
  const server = await openTestServer({ ...options, onRequest }, 'socket');
  const requests = (count: number): Promise<FinishedRequest[]> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (reported.length >= count) resolve(reported);
      };
      waiting.add(look);
      look();
    });
  return { ...server, requests };
}

it('has each request, with user and address', async () => {
  const { request, requests } = await open();
  const startedAt = performance.now();
  const answer = await request('GET', '/api/2/devices/bob.json?since=1', { auth: 'bob:secret' });
  const body = await answer.text();
  const [entry] = await requests(1);
  const longest = Math.ceil(performance.now() - startedAt);
  expect(entry).toEqual({
    method: 'GET',
    path: '/api/2/devices/bob.json',
    route: '/api/2/devices/:user.:format',
    status: 200,
    duration: expect.toSatisfy((duration) => Number.isInteger(duration) && duration <= longest),
    bytes: expect.any(Number),
    user: 'bob',
    ip: '127.0.0.1',
  });
  expect(entry!.bytes).toBeGreaterThan(body.length);
});

it('has the bytes of each response, also if its connection has been used before', async () => {
  const { origin, requests } = await open();
  const socket = connect(Number(new URL(origin!).port), '127.0.0.1');
  const received = text(socket);
  for (const connection of ['keep-alive', 'close']) {
    socket.write(`GET /health HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`);
    await requests(connection === 'close' ? 2 : 1);
  }
  const sent = (await requests(2)).map(({ bytes }) => bytes);
  expect(sent[0]! + sent[1]!).toBe((await received).length);
});

it.each([
  ['/api/2/devices/bob.json', 'bob:wrong', { status: 401, user: undefined }],
  ['/api/2/devices/eve.json', 'bob:secret', { status: 403, user: 'bob' }],
  ['/nothing/here', undefined, { status: 404, user: undefined }],
  ['/getlist?username=bob&password=secret', undefined, { status: 200, user: 'bob', path: '/getlist' }],
  ['/', 'bob:secret', { status: 200, user: 'bob' }],
  ['//podcasts//login?next=hunter2', undefined, { status: 200, path: '/login' }],
  ['/welcome/hunter2.x-y', undefined, { status: 404, path: '/welcome/***' }],
  ['//podcasts//welcome//hunter2', undefined, { status: 404 }],
  ['/Welcome/hunter2', undefined, { status: 404 }],
  ['/podcasts/welcome/hunter2/more', undefined, { status: 404, path: '/welcome/***/more' }],
])('logs GET %s as %s with %j', async (path, auth, expected) => {
  const { request, requests } = await open({ baseUrl: 'http://localhost/podcasts' });
  await (await request('GET', path, auth === undefined ? {} : { auth })).text();
  const [entry] = await requests(1);
  expect(entry).toMatchObject(expected);
  expect(JSON.stringify(entry)).not.toMatch(/hunter2|secret/);
});

it('hides the token in the path of every route that has one', () => {
  const tables = ['index.ts', 'site/index.ts'].map((file) =>
    readFileSync(new URL(`../../src/routes/${file}`, import.meta.url), 'utf8'),
  );
  const paths = [...tables.join('').matchAll(/'(\/[^']*:(?:token|secret|key|password)[^']*)'/g)].map(
    ([, path]) => path!,
  );
  expect(paths).not.toEqual([]);
  for (const path of paths) expect(redactPath(path)).not.toMatch(/:(?:token|secret|key|password)/);
});

it('has the address that a trusted proxy names', async () => {
  const { request, requests } = await open({ trustProxy: true });
  await (await request('GET', '/health', { headers: { 'x-forwarded-for': '203.0.113.7' } })).text();
  expect((await requests(1))[0]).toMatchObject({ ip: '203.0.113.7' });
});

it('has a request whose client disconnects before the response, without a status', async () => {
  const { origin, requests } = await open();
  const socket = connect(Number(new URL(origin!).port), '127.0.0.1');
  socket.write('POST /api/2/auth/bob/login.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
  await once(socket, 'connect');
  socket.write('x', () => socket.resetAndDestroy());
  expect((await requests(1))[0]).toMatchObject({ method: 'POST', status: undefined, user: undefined });
});

it('does not have requests within the process', async () => {
  const reported: FinishedRequest[] = [];
  const { request } = await openTestServer({ onRequest: (each) => void reported.push(each) });
  expect((await request('GET', '/health')).status).toBe(200);
  expect(reported).toEqual([]);
});

it('does not have the requests of the operator', async () => {
  const { request, requests } = await open({ operator: true });
  expect((await request('GET', '/operator/users')).status).toBe(200);
  expect(await requests(0)).toEqual([]);
});
