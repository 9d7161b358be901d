import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../seed.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { rawConnection, sendRaw } from './raw-connection.ts';

const LIST = '/subscriptions/bob/phone.json';
const URLS = ['http://example.org/kept'];
const authorization = `Basic ${btoa('bob:secret')}`;

/** A server on a socket, with a list of bob. */
async function withSocket(use: (port: number, server: TestServer) => Promise<void>): Promise<void> {
  const server = await openTestServer({ maxBody: 64 * 1024 }, 'socket');
  await server.request('PUT', LIST, { auth: 'bob:secret', body: URLS });
  await use(Number(new URL(server.origin!).port), server);
}

/** The list, as the next client receives it. */
const readList = async (port: number): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}${LIST}`, { headers: { authorization } })).json();

it('still responds after clients have sent invalid requests of any kind', { timeout: 600_000 }, () =>
  withSocket(async (port, { clock, errors }) => {
    const connections = fc.array(rawConnection, { minLength: 1, maxLength: 20, size: 'max' });
    await fc.assert(
      fc.asyncProperty(connections, async (all) => {
        clock.now += 3600; // so that the login throttle has expired
        const received = await Promise.all(all.map((each) => sendRaw(port, each)));
        expect(received.filter((answer) => /^HTTP\/1\.1 5|\n\s+at |node_modules|node:internal/m.test(answer))).toEqual(
          [],
        );
        expect(errors.splice(0)).toEqual([]);
        expect(await readList(port)).toEqual(URLS);
      }),
      { seed, numRuns: 150, interruptAfterTimeLimit: 60_000 },
    );
  }),
);

it.each([
  ['the rest is never sent', 'Content-Length: 99', '["http://example.org/new"]'],
  ['the last chunk is never sent', 'Transfer-Encoding: chunked', '1a\r\n["http://example.org/new"]\r\n'],
  ['a chunk is truncated', 'Transfer-Encoding: chunked', '1b\r\n["http://example.org/new"]'],
])('stores nothing of an upload if %s, and logs no error', (_, framing, body) =>
  withSocket(async (port, { errors }) => {
    const head = [`PUT ${LIST} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, framing].join('\r\n');
    for (const ending of ['waits', 'disconnects'] as const) {
      await sendRaw(port, { chunks: [`${head}\r\n\r\n`, body], ending });
    }
    expect(await readList(port)).toEqual(URLS);
    expect(errors).toEqual([]);
  }),
);
