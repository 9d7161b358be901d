import type { H3Event } from 'h3';
import { describe, expect, it } from 'vitest';
import { isProxied } from '../../../src/http/origin.ts';
import { cookieOf, openTestServer, type RequestOptions, TARGETS, type TestServer } from '../../server.ts';

const DEVICES = '/api/2/devices/bob.json';
const PROXIED = { 'x-forwarded-for': '203.0.113.9' };

const statusOf = async ({ request }: TestServer, credentials: RequestOptions): Promise<number> =>
  (await request('GET', DEVICES, { headers: PROXIED, ...credentials })).status;

/** Tries a hundred names from behind the proxy, until even new ones are refused. */
async function guessNames(server: TestServer): Promise<void> {
  for (let at = 0; at < 100; at++) expect(await statusOf(server, { auth: `name${at}:wrong` })).toBe(401);
  expect(await statusOf(server, { auth: 'name100:wrong' })).toBe(429);
}

/** A log that collects warnings. */
function createLog() {
  const warnings: string[] = [];
  return { warnings, log: (level: string, message: string) => void (level === 'warn' && warnings.push(message)) };
}

/** A server behind a proxy that it does not trust; bob has logged in before, eve has not. */
async function open() {
  const server = await openTestServer();
  const answer = await server.request('GET', DEVICES, { auth: 'bob:secret', headers: PROXIED });
  return { server, cookie: cookieOf(answer)! };
}

describe('behind an untrusted proxy, after a hundred wrong names', () => {
  it('a user who has logged in can continue with the cookie and with the password', async () => {
    const { server, cookie } = await open();
    await guessNames(server);
    for (const credentials of [{ cookie }, { auth: 'bob:secret' }, { auth: 'BOB:secret', cookie }]) {
      expect(await statusOf(server, credentials)).toBe(200);
    }
    server.clock.now += 1;
    expect(await statusOf(server, { auth: 'bob:wrong', cookie })).toBe(401);
    expect(await statusOf(server, { auth: 'bob:wrong' })).toBe(401);
  });

  it('the cookie suffices for an account whose password is no longer checked', async () => {
    const { server, cookie } = await open();
    for (let at = 0; at < 10; at++) expect(await statusOf(server, { auth: 'bob:wrong' })).toBe(401);
    expect(await statusOf(server, { auth: 'bob:secret', cookie })).toBe(200);
    expect(await statusOf(server, { auth: 'bob:secret' })).toBe(429);
  });

  it('guessing stays blocked even if the right password is cached', async () => {
    const { server } = await open();
    await guessNames(server);
    for (let at = 0; at < 10; at++) expect(await statusOf(server, { auth: `bob:wrong${at}` })).toBe(401);
    for (const password of ['secret', 'wrong']) expect(await statusOf(server, { auth: `bob:${password}` })).toBe(429);
  });

  it('an account that has not logged in has to wait, even with the cookie of another', async () => {
    const { server, cookie } = await open();
    await guessNames(server);
    expect(await statusOf(server, { auth: 'eve:secret' })).toBe(429);
    expect(await statusOf(server, { auth: 'eve:secret', cookie })).toBe(429);
    server.clock.now += 300;
    expect(await statusOf(server, { auth: 'eve:secret' })).toBe(403); // authenticated, but this is a path of bob
  });

  it('without a proxy the whole address waits, even with a cached password and the cookie', async () => {
    const { server, cookie } = await open();
    await guessNames(server);
    expect(await statusOf(server, { auth: 'bob:secret', headers: {} })).toBe(429);
    expect(await statusOf(server, { auth: 'bob:secret', cookie, headers: {} })).toBe(429);
  });
});

describe.each(TARGETS)('a proxy that is not trusted (%s)', (target) => {
  it.each(['x-forwarded-for', 'forwarded'])('causes one warning with advice if it sends %s', async (header) => {
    const { log, warnings } = createLog();
    const { request } = await openTestServer({ log }, target);
    await request('GET', '/health');
    expect(warnings).toEqual([]);
    for (let at = 0; at < 2; at++) await request('GET', '/health', { headers: { [header]: 'for=203.0.113.9' } });
    expect(warnings).toEqual([expect.stringMatching(/proxy that is not trusted.*start podsync with --trust-proxy/)]);
  });

  it('causes no warning if it is trusted', async () => {
    const { log, warnings } = createLog();
    const { request } = await openTestServer({ log, trustProxy: true }, target);
    await request('GET', '/health', { headers: PROXIED });
    expect(warnings).toEqual([]);
  });
});

it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:172.17.0.2', true],
  ['192.168.1.2', true],
  ['fd00::2', true],
  [undefined, true], // a unix socket
  ['203.0.113.1', true], // reserved for documentation
  ['8.8.8.8', false],
  ['2606:4700::1', false],
])('a request forwarded by %s comes through a proxy: %s', (ip, expected) => {
  const event = { req: { ip, headers: new Headers(PROXIED) } } as unknown as H3Event;
  expect(isProxied(event, { trustProxy: false })).toBe(expected);
});
