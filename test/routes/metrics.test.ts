import { expect, it } from 'vitest';
import { readNetworks } from '../../src/value-types.ts';
import { openTestServer, type TestServer } from '../server.ts';

const render = async (): Promise<string> => 'podsync_sessions 1\n';
const LOOPBACK = { headers: {} };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const statusOf = async ({ request }: TestServer, options = {}, method = 'GET'): Promise<number> =>
  (await request(method, '/metrics', options)).status;

it('metrics do not exist unless they are switched on', async () => {
  expect(await statusOf(await openTestServer())).toBe(404);
});

it('metrics can be read with the token', async () => {
  const server = await openTestServer({ metrics: { render, token: 'right' } });
  const answer = await server.request('GET', '/metrics', bearer('right'));
  expect([answer.status, await answer.text()]).toEqual([200, 'podsync_sessions 1\n']);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await statusOf(server, bearer('right'), 'HEAD')).toBe(200);
  expect(await statusOf(server, { headers: { authorization: 'bearer  right' } })).toBe(200);
  for (const token of ['', 'wrong', 'right2', 'right 2', 'RIGHT']) {
    expect(await statusOf(server, bearer(token))).toBe(404);
  }
  expect(await statusOf(server, { auth: 'bob:secret' })).toBe(404);
});

it.each([
  ['127.0.0.0/8', 200],
  ['127.0.0.1', 200],
  ['10.0.0.0/8, 127.0.0.1', 200],
  ['0.0.0.0/0', 200],
  ['10.0.0.0/8', 404],
  ['::1,2001:db8::/32', 404],
  ['::/0', 404],
  ['::ffff:127.0.0.0/104', 200],
  ['::ffff:10.0.0.0/104', 404],
])('a client at 127.0.0.1 and the networks %s: %i', async (text, status) => {
  const server = await openTestServer({ metrics: { render, isAllowed: readNetworks(text) } }, 'socket');
  expect(await statusOf(server)).toBe(status);
});

it('a client behind a proxy has the address that a trusted proxy names, and otherwise none that counts', async () => {
  const metrics = { render, isAllowed: readNetworks('127.0.0.1,2001:db8::/32') };
  const forwarded = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const trusting = await openTestServer({ metrics, trustProxy: true }, 'socket');
  expect(await statusOf(trusting, forwarded('2001:db8::7'))).toBe(200);
  expect(await statusOf(trusting, forwarded('[2001:db8::7]:51000'))).toBe(200);
  expect(await statusOf(trusting, forwarded('203.0.113.7'))).toBe(404);
  expect(await statusOf(trusting, forwarded(''))).toBe(200);
  const other = await openTestServer({ metrics }, 'socket');
  expect(await statusOf(other, forwarded('127.0.0.1'))).toBe(404);
  expect(await statusOf(other, LOOPBACK)).toBe(200);
});

it('without a configured token none is accepted, nor is a client without an address', async () => {
  const metrics = { render, isAllowed: readNetworks('10.0.0.0/8') };
  expect(await statusOf(await openTestServer({ metrics }, 'socket'), bearer('right'))).toBe(404);
  expect(await statusOf(await openTestServer({ metrics }))).toBe(404);
});

it('without permission the answer is that of an unknown address, for every method', async () => {
  const { request } = await openTestServer({ metrics: { render, token: 'right' } });
  const read = async (method: string, path: string, accept: string) => {
    const answer = await request(method, path, { headers: { accept } });
    return [answer.status, Object.fromEntries(answer.headers), await answer.text()];
  };
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
    for (const accept of ['application/json', 'text/html']) {
      expect(await read(method, '/metrics', accept), method).toEqual(await read(method, '/metricz', accept));
    }
  }
});

it.each(['', '10.0.0.0/33', '10.0.0', 'localhost', '10.0.0.0/8,', '::1/129', '10.0.0.0/8 10.1.0.0/16'])(
  '"%s" is no list of networks',
  (text) => expect(readNetworks(text)).toBeUndefined(),
);
