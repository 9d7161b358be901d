import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRemote, type Remote } from '../../src/pull/remote.ts';
import { type OtherServer, startOther } from './reference.ts';

const DEVICES = ['api', '2', 'devices', 'bob.json'];

let other: OtherServer;
let waited: number[];
const remotes: Remote[] = [];

beforeEach(async () => {
  waited = [];
  other = await startOther(
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

/** Answers in turn; what comes after them is the ordinary answer. */
function answerWith(...answers: Parameters<typeof reply>[]): void {
  other.interfere = () => {
    const next = answers.shift();
    return next && reply(...next);
  };
}

const reply = (status: number, headers: Record<string, string> = {}, body = '') => ({ status, headers, body });

it('says whether it is the password', async () => {
  await expect(open(other.url, 'wrong').get(DEVICES)).rejects.toThrow(
    /does not take this user name with this password/,
  );
  await expect(open().get(['api', '2', 'devices', 'eve.json'])).rejects.toThrow(/answered 404 \(Not Found\)$/);
});

it('encodes what stands in a path and a query', async () => {
  await open()
    .get(['subscriptions', 'a/b', 'my phone?.json'], { since: '0', podcast: 'https://x.example/?a=1&b' })
    .catch(() => undefined);
  expect(other.asked).toEqual([
    '/subscriptions/a%2Fb/my%20phone%3F.json?since=0&podcast=https%3A%2F%2Fx.example%2F%3Fa%3D1%26b',
  ]);
});

it('waits for what passes, as long as the server says, but not before it has answered once', async () => {
  const remote = open();
  answerWith([503]);
  await expect(remote.get(DEVICES)).rejects.toThrow(/answered 503 \(Service Unavailable\)/);
  await remote.get(DEVICES);
  expect(waited).toEqual([]);

  answerWith([503], [429, { 'retry-after': '70' }], [502]);
  expect(await remote.get(DEVICES)).toEqual([{ id: 'phone' }]);
  expect(waited).toEqual([2, 70, 30]);

  answerWith([500], [500], [500], [500]);
  await expect(remote.get(DEVICES)).rejects.toThrow(/answered 500/);
  answerWith([429, { 'retry-after': '3600' }]);
  await expect(remote.get(DEVICES)).rejects.toThrow(/answered 429/);
  expect(waited).toEqual([2, 70, 30, 2, 10, 30]);
});

it('follows the server to another path, and takes the password nowhere else', async () => {
  answerWith([301, { location: '/elsewhere' }], [307, { location: `${other.url}/api/2/devices/bob.json` }]);
  expect(await open().get(DEVICES)).toEqual([{ id: 'phone' }]);

  const stranger = await startOther(
    { devices: [], subscriptions: {}, actions: [] },
    { by: 'nothing', order: 'upload', answers: 'now' },
  );
  const { port } = new URL(stranger.url);
  answerWith([302, { location: `http://localhost:${port}/api/2/devices/bob.json` }]);
  await expect(open().get(DEVICES)).rejects.toThrow(
    /redirects to http:\/\/localhost:\d+, and the password is not sent there/,
  );
  answerWith([302, { location: `${stranger.url}/api/2/devices/bob.json` }]);
  await expect(open().get(DEVICES)).rejects.toThrow(`redirects to ${stranger.url}, and the password is not sent there`);
  answerWith([302, { location: 'file:///etc/passwd' }]);
  await expect(open().get(DEVICES)).rejects.toThrow(/redirects to no address of the web/);
  expect(stranger.asked).toEqual([]);
  await stranger.close();

  other.interfere = () => reply(302, { location: '/again' });
  await expect(open().get(DEVICES)).rejects.toThrow(/redirects more than 5 times/);
});

it('reads what is compressed, has a byte order mark, or is called a web page', async () => {
  const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
  other.interfere = () => ({ status: 200, headers, body: gzipSync('\ufeff[1, 2]\r\n') });
  expect(await open().get(DEVICES)).toEqual([1, 2]);
});

it.each([
  ['a web page', '<!doctype html><p>hello'],
  ['half an answer', '[{"id": "pho'],
  ['brackets by the hundred thousand', '['.repeat(200_000)],
])('%s is no answer', async (_title, body) => {
  other.interfere = () => reply(200, {}, body);
  await expect(open().get(DEVICES)).rejects.toThrow(/does not answer as a gpodder-compatible server does/);
});

it('says what is wrong with an address, and with a certificate', async () => {
  const secure = createServer({
    cert: readFileSync(new URL('../cli/tls/cert.pem', import.meta.url)),
    key: readFileSync(new URL('../cli/tls/key.pem', import.meta.url)),
  }).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port } = secure.address() as AddressInfo;
  await expect(open(`https://127.0.0.1:${port}`).get(DEVICES)).rejects.toThrow(
    /the certificate is not valid \([A-Z_]+\)/,
  );
  answerWith([301, { location: `https://127.0.0.1:${port}/api/2/devices/bob.json` }]); // is followed, as it is the same host
  await expect(open().get(DEVICES)).rejects.toThrow(/the certificate is not valid/);
  secure.close();
  await once(secure, 'close');
  await expect(open(`http://127.0.0.1:${port}`).get(DEVICES)).rejects.toThrow(/the server refuses connections/);
  const encrypted = other.url.replace('http:', 'https:');
  await expect(open(encrypted).get(DEVICES)).rejects.toThrow(
    /no encrypted connection came about; where that server has no https, name it with http:/,
  );
});

it('ends what is under way when it is closed, and waits for nothing', async () => {
  const remote = open();
  await remote.get(DEVICES);
  const asked = new Promise<void>((resolve) => {
    other.interfere = (_path, request) => {
      request.socket.pause();
      resolve();
      return { status: 200, headers: { 'content-length': '10' }, body: '' };
    };
  });
  const answer = expect(remote.get(DEVICES)).rejects.toThrow();
  await asked;
  await remote.close();
  await answer;
  expect(waited).toEqual([]);
});

it('a name that is no text is asked for as near as can be', async () => {
  await expect(open().get(['api', '2', 'lists', 'bob', 'list', 'l\udc00.json'])).rejects.toThrow('404');
});

it('no message holds the password', async () => {
  for (const spoil of [() => reply(401), () => reply(500), () => reply(302, { location: 'http://x.example/' })]) {
    other.interfere = spoil;
    const error = (await open(other.url, 'hunter2')
      .get(DEVICES)
      .catch((reason: unknown) => reason)) as Error;
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hunter2|aHVudGVyMg|Ym9iOmh1/);
  }
});
