import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { errors } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toRemoteError } from '../../src/pull/remote-error.ts';
import { openRemote, type Remote } from '../../src/pull/remote.ts';
import { resolveNamesTo, startDistantServer } from '../distant-server.ts';
import { type OtherServer, startOtherServer } from './other-server.ts';

const DEVICES = ['api', '2', 'devices', 'bob.json'];

let other: OtherServer;
let waited: number[];
const remotes: Remote[] = [];

beforeEach(async () => {
  waited = [];
  other = await startOtherServer(
    { devices: [{ id: 'phone' }], subscriptions: {}, actions: [] },
    { by: 'upload time', order: 'upload', answers: 'now' },
  );
});
afterEach(async () => {
  for (const remote of remotes.splice(0)) await remote.close();
  await other.close();
});

function open(address = other.url, password = 'secret'): Remote {
  const wait = async (seconds: number): Promise<void> => void waited.push(seconds);
  const remote = openRemote({ address, user: 'bob', password, userAgent: 'podsync/test', wait });
  remotes.push(remote);
  return remote;
}

/** Sends these responses first, and then the normal ones. */
function answerWith(...answers: Parameters<typeof reply>[]): void {
  other.intercept = () => {
    const next = answers.shift();
    return next && reply(...next);
  };
}

const reply = (status: number, headers: Record<string, string> = {}, body = '') => ({ status, headers, body });

it('reports a wrong password', async () => {
  await expect(open(other.url, 'wrong').get(DEVICES)).rejects.toThrow(/does not accept this user name and password/);
  await expect(open().get(['api', '2', 'devices', 'eve.json'])).rejects.toThrow(/answered 404 \(Not Found\)$/);
});

it('reads from a distant server of which only the first address can be reached', async () => {
  const port = await startDistantServer('[]');
  resolveNamesTo('127.0.0.1', '127.0.0.2');
  expect(await open(`http://distant.test:${port}`).get(DEVICES)).toEqual([]);
});

it('encodes paths and queries', async () => {
  await open()
    .get(['subscriptions', 'a/b', 'my phone?.json'], { since: '0', podcast: 'https://x.example/?a=1&b' })
    .catch(() => undefined);
  expect(other.requests).toEqual([
    '/subscriptions/a%2Fb/my%20phone%3F.json?since=0&podcast=https%3A%2F%2Fx.example%2F%3Fa%3D1%26b',
  ]);
});

it('retries after temporary failures and the requested delay, but not before the first success', async () => {
  const remote = open();
  answerWith([503]);
  await expect(remote.get(DEVICES)).rejects.toThrow(/answered 503 \(Service Unavailable\)/);
  await remote.get(DEVICES);
  expect(waited).toEqual([]);

  answerWith([503], [429, { 'retry-after': '70' }], [502]);
  expect(await remote.get(DEVICES)).toEqual([{ id: 'phone' }]);
  expect(waited).toEqual([2, 70, 30]);

  // A date is no number of seconds.
  answerWith([503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }]);
  await remote.get(DEVICES);
  expect(waited.splice(3)).toEqual([2]);

  answerWith([500], [500], [500], [500]);
  await expect(remote.get(DEVICES)).rejects.toThrow(/answered 500/);
  answerWith([429, { 'retry-after': '3600' }]);
  await expect(remote.get(DEVICES)).rejects.toThrow(/answered 429/);
  expect(waited).toEqual([2, 70, 30, 2, 10, 30]);
});

it('follows redirects within the server, and never sends the password to another server', async () => {
  answerWith([301, { location: '/elsewhere' }], [307, { location: `${other.url}/api/2/devices/bob.json` }]);
  expect(await open().get(DEVICES)).toEqual([{ id: 'phone' }]);

  const elsewhere = await startOtherServer(
    { devices: [], subscriptions: {}, actions: [] },
    { by: 'nothing', order: 'upload', answers: 'now' },
  );
  const { port } = new URL(elsewhere.url);
  answerWith([302, { location: `http://localhost:${port}/api/2/devices/bob.json` }]);
  await expect(open().get(DEVICES)).rejects.toThrow(
    /redirects to http:\/\/localhost:\d+, and the password is not sent there/,
  );
  answerWith([302, { location: `${elsewhere.url}/api/2/devices/bob.json` }]);
  await expect(open().get(DEVICES)).rejects.toThrow(
    `redirects to ${elsewhere.url}, and the password is not sent there`,
  );
  answerWith([302, { location: `https://localhost:${port}/api/2/devices/bob.json` }]);
  await expect(open().get(DEVICES)).rejects.toThrow(
    /redirects to https:\/\/localhost:\d+, and the password is not sent there/,
  );
  answerWith([302, { location: 'file:///etc/passwd' }]);
  await expect(open().get(DEVICES)).rejects.toThrow(/redirects to an address that is not http\(s\)/);
  expect(elsewhere.requests).toEqual([]);
  await elsewhere.close();

  other.intercept = () => reply(302, { location: '/again' });
  await expect(open().get(DEVICES)).rejects.toThrow(/redirects more than 5 times/);
});

it('reads a response that is compressed, has a byte order mark and claims to be a web page', async () => {
  const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
  other.intercept = () => ({ status: 200, headers, body: gzipSync('\ufeff[1, 2]\r\n') });
  expect(await open().get(DEVICES)).toEqual([1, 2]);
});

it.each([
  ['a web page', '<!doctype html><p>hello'],
  ['half a response', '[{"id": "pho'],
  ['brackets by the hundred thousand', '['.repeat(200_000)],
])('refuses %s as a response', async (_title, body) => {
  other.intercept = () => reply(200, {}, body);
  await expect(open().get(DEVICES)).rejects.toThrow(/does not respond like a gpodder-compatible server/);
});

it.each([
  ['an empty response', [200, {}, ' \n'], /returned an empty response$/],
  ['a redirect without an address', [302], /answered 302 \(Found\)$/],
])('reports %s', async (_title, answer, message) => {
  answerWith(answer as Parameters<typeof reply>);
  await expect(open().get(DEVICES)).rejects.toThrow(message);
});

it('reports a wrong address and an invalid certificate', async () => {
  const secure = createServer({
    cert: readFileSync(new URL('../cli/tls/cert.pem', import.meta.url)),
    key: readFileSync(new URL('../cli/tls/key.pem', import.meta.url)),
  }).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port } = secure.address() as AddressInfo;
  await expect(open(`https://127.0.0.1:${port}`).get(DEVICES)).rejects.toThrow(
    /the certificate is not valid \([A-Z_]+\)/,
  );
  answerWith([301, { location: `https://127.0.0.1:${port}/api/2/devices/bob.json` }]); // followed, as the host is the same
  await expect(open().get(DEVICES)).rejects.toThrow(/the certificate is not valid/);
  secure.close();
  await once(secure, 'close');
  await expect(open(`http://127.0.0.1:${port}`).get(DEVICES)).rejects.toThrow(/the server refuses connections/);
  const encrypted = other.url.replace('http:', 'https:');
  await expect(open(encrypted).get(DEVICES)).rejects.toThrow(
    /the encrypted connection failed; if that server does not support https, use http:/,
  );
});

it.each([
  [new errors.ConnectTimeoutError(), 'other.example: the server did not respond in time'],
  [Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' }), 'other.example: the server did not respond in time'],
  [new errors.HeadersTimeoutError(), 'other.example: the server did not respond in time'],
  [new errors.BodyTimeoutError(), 'other.example: the server stopped sending its response'],
])('says what took too long, and may be tried again: %s', (error, message) => {
  expect(toRemoteError('other.example', error, 600)).toMatchObject({ message, isTemporary: true });
});

it('aborts pending requests when it is closed, without a retry', async () => {
  const remote = open();
  await remote.get(DEVICES);
  const received = new Promise<void>((resolve) => {
    other.intercept = (_path, request) => {
      request.socket.pause();
      resolve();
      return { status: 200, headers: { 'content-length': '10' }, body: '' };
    };
  });
  const answer = expect(remote.get(DEVICES)).rejects.toThrow();
  await received;
  await remote.close();
  await answer;
  expect(waited).toEqual([]);
});

it('requests a name that is not valid Unicode', async () => {
  await expect(open().get(['api', '2', 'lists', 'bob', 'list', 'l\udc00.json'])).rejects.toThrow('404');
});

it('no error contains the password', async () => {
  for (const spoil of [() => reply(401), () => reply(500), () => reply(302, { location: 'http://x.example/' })]) {
    other.intercept = spoil;
    const error = (await open(other.url, 'hunter2')
      .get(DEVICES)
      .catch((reason: unknown) => reason)) as Error;
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hunter2|aHVudGVyMg|Ym9iOmh1/);
  }
});
