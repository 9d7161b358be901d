import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { toNodeHandler } from 'h3';
import { expect, it } from 'vitest';
import { listen } from '../../listen.ts';
import { openTestServer } from '../../server.ts';

/* Large bodies share a memory budget; no sender may keep others from using it. */

const LARGE = 700_000;
/** More bytes than the stream and the socket buffer before they are read. */
const BUFFERED = 200_000;
const auth = (user: string): string => `Authorization: Basic ${Buffer.from(`${user}:secret`).toString('base64')}`;
/** A list of one feed, with empty lines up to the given size. */
const list = (user: string): Buffer => Buffer.from(`http://example.org/${user}`.padEnd(LARGE, '\n'));

async function openServer(budget: { bytes: number; receive?: number; wait?: number }) {
  const server = await openTestServer({ budget });
  const { server: http, port } = await listen(toNodeHandler(server.app));
  http.prependListener('request', (request) => {
    const push = request.push.bind(request);
    let bytes = 0;
    request.push = (chunk: Buffer | null) => {
      bytes += chunk?.length ?? 0;
      if (bytes > BUFFERED) http.emit('reading');
      return push(chunk);
    };
  });
  /** Sends the head of an upload; `more` are headers that describe the body. */
  const begin = (user: string, more: string, target = `PUT /subscriptions/${user}/phone.txt`): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth(user)}\r\n${more}\r\n\r\n`);
    return socket;
  };
  const upload = async (user: string, body = list(user), more = ''): Promise<string> => {
    const socket = begin(user, `Content-Length: ${body.length}${more}`);
    socket.write(body); // not `end`: Node would treat the client as disconnected
    return (await socket.toArray()).join('');
  };
  const stored = async (user: string) =>
    (await server.request('GET', `/subscriptions/${user}/phone.json`, { auth: `${user}:secret` })).json();
  /** Resolves when the server first reads a large body, for which it has reserved memory then. */
  const reading = once(http, 'reading');
  return { begin, upload, stored, reading };
}

it('accepts large bodies one after another if they do not fit together', async () => {
  const { upload, stored } = await openServer({ bytes: LARGE });
  const answers = await Promise.all([
    upload('bob'),
    upload('eve'),
    upload('bob', gzipSync(list('bob')), '\r\nContent-Encoding: gzip'),
  ]);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect([await stored('bob'), await stored('eve')]).toEqual([['http://example.org/bob'], ['http://example.org/eve']]);
});

it.each([
  ['of a stated length', `Content-Length: ${LARGE}`, ''],
  ['in chunks', 'Transfer-Encoding: chunked', 'ffffff\r\n'],
])('refuses a body %s that stalls while another waits, and stores the other', async (_, head, before) => {
  const { begin, upload, stored, reading } = await openServer({ bytes: LARGE, receive: 0 });
  const stalled = begin('eve', head);
  stalled.write(before + 'x'.repeat(LARGE / 2));
  await reading;
  const refused = stalled.toArray();
  expect(await upload('bob')).toMatch(/^HTTP\/1\.1 200 /);
  expect((await refused).join('')).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 10[^]*arrives too slowly/i);
  expect(await stored('bob')).toEqual(['http://example.org/bob']);
});

it('accepts a small body whatever else arrives', async () => {
  const { begin, upload, reading } = await openServer({ bytes: LARGE });
  const stalled = begin('eve', `Content-Length: ${LARGE}`);
  stalled.write('x'.repeat(LARGE / 2));
  await reading;
  const small = Buffer.from('http://example.org/bob');
  expect(await upload('bob', small)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await upload('bob', gzipSync(small), '\r\nContent-Encoding: gzip')).toMatch(/^HTTP\/1\.1 200 /);
  stalled.destroy();
});

it('asks the client of a body that waited too long to retry', async () => {
  const { begin, upload, reading } = await openServer({ bytes: LARGE, wait: 0 });
  const stalled = begin('eve', `Content-Length: ${LARGE}`);
  stalled.write('x'.repeat(LARGE / 2));
  await reading;
  expect(await upload('bob')).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 10[^]*busy with other large uploads/i);
  stalled.destroy();
});

it('reads the large forms of a user one after another, too', async () => {
  const { begin, reading } = await openServer({ bytes: 10 * LARGE, wait: 0 });
  const form = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${LARGE}`;
  const send = (): Socket => begin('bob', form, 'POST /subscriptions/remove');
  const stalled = send();
  stalled.write('x'.repeat(LARGE / 2));
  await reading;
  const other = send();
  other.write('x'.repeat(LARGE));
  expect((await other.toArray()).join('')).toMatch(
    /^HTTP\/1\.1 503 [^]*retry-after: 10[^]*busy with other large uploads/i,
  );
  stalled.destroy();
});
