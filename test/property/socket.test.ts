import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { toNodeHandler } from 'h3';
import { expect, it } from 'vitest';
import { seed } from '../seed.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { converse, conversation } from './conversation.ts';

const LIST = '/subscriptions/bob/phone.json';
const KEPT = ['http://example.org/kept'];
const authorization = `Basic ${btoa('bob:secret')}`;

/** A server that bytes can be sent to, and on it a list of bob. */
async function withSocket(use: (port: number, server: TestServer) => Promise<void>): Promise<void> {
  const server = await openTestServer({ maxBody: 64 * 1024 });
  await server.request('PUT', LIST, { auth: 'bob:secret', body: KEPT });
  const listener = createServer(toNodeHandler(server.app)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    await use((listener.address() as AddressInfo).port, server);
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

/** The list, as whoever comes next reads it. */
const readList = async (port: number): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}${LIST}`, { headers: { authorization } })).json();

it('still answers after whatever came over its connections', { timeout: 100_000 }, () =>
  withSocket(async (port, { clock, errors }) => {
    const conversations = fc.array(conversation, { minLength: 1, maxLength: 20, size: 'max' });
    await fc.assert(
      fc.asyncProperty(conversations, async (all) => {
        clock.now += 3600; // the throttle forgets
        const heard = await Promise.all(all.map((each) => converse(port, each)));
        expect(heard.filter((answer) => /^HTTP\/1\.1 5|\n\s+at |node_modules|node:internal/m.test(answer))).toEqual([]);
        expect(errors.splice(0)).toEqual([]);
        expect(await readList(port)).toEqual(KEPT);
      }),
      { seed, numRuns: 150, interruptAfterTimeLimit: 60_000 },
    );
  }),
);

it.each([
  ['the rest never comes', 'Content-Length: 99', '["http://example.org/new"]'],
  ['the last chunk never comes', 'Transfer-Encoding: chunked', '1a\r\n["http://example.org/new"]\r\n'],
  ['a chunk is cut off', 'Transfer-Encoding: chunked', '1b\r\n["http://example.org/new"]'],
])('stores nothing of an upload of which %s, and is not to blame', (_, framing, body) =>
  withSocket(async (port, { errors }) => {
    const head = [`PUT ${LIST} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, framing].join('\r\n');
    for (const ending of ['waits', 'hangs up'] as const) {
      await converse(port, { pieces: [`${head}\r\n\r\n`, body], ending });
    }
    expect(await readList(port)).toEqual(KEPT);
    expect(errors).toEqual([]);
  }),
);
