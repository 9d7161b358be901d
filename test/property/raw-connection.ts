import { createConnection } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { text } from './text.ts';

/** What a client sends over one connection, in chunks, and how it ends. Each character is a byte. */
export interface RawConnection {
  chunks: string[];
  ending: 'waits' | 'disconnects';
}

/** After so many milliseconds without data the client expects no more. */
const IDLE_TIMEOUT = 50;

/** Sends everything, and returns what was received, which may be nothing. */
export async function sendRaw(port: number, { chunks, ending }: RawConnection): Promise<string> {
  const socket = createConnection(port, '127.0.0.1').setEncoding('latin1').setTimeout(IDLE_TIMEOUT);
  let received = '';
  socket.on('data', (chunk) => (received += chunk));
  socket.on('error', () => undefined); // the server may close the connection at any time
  socket.on('timeout', () => (socket.writable ? socket.end() : socket.destroy()));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  for (const chunk of chunks) {
    if (socket.writable) socket.write(chunk, 'latin1');
    await setImmediate();
  }
  if (ending === 'disconnects') socket.destroy();
  await closed;
  return received;
}

// ---- random connections ----------------------------------------------------

const latin1 = text.map((value) => Buffer.from(value).toString('latin1'));
const mostly = <T>(usual: T[], ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 14, arbitrary: fc.constantFrom(...usual) }, ...others);

const METHODS = ['GET', 'PUT', 'POST', 'PUT', 'POST', 'HEAD', 'OPTIONS', 'DELETE'];
const method = mostly(METHODS, fc.constantFrom('get', 'TRACE', 'CONNECT', 'PRI', '', 'G'.repeat(9999)), latin1);

const TARGETS = [
  '/subscriptions/bob/raw.json',
  '/api/2/subscriptions/bob/raw.json?since=0',
  '/api/2/episodes/bob.json',
  '/subscriptions/b%6fb/raw.json',
];
const ODD_TARGETS = [
  '*',
  'bob',
  '//',
  '//evil.example/../subscriptions/bob/raw.json',
  'http://evil.example/subscriptions/bob/raw.json',
  'localhost:80',
  '/\\evil.example/',
  '/subscriptions/bob/../eve/raw.json',
  '/subscriptions/bob/./raw.json',
  '/subscriptions/bob/\xff\xfe.json',
  '/subscriptions/bob/a b.json',
  '/subscriptions/bob/%.json?%=%&&==',
  '/subscriptions/bob/raw.json#top',
  '/?' + 'a&'.repeat(5000),
  `/${'x'.repeat(20_000)}`,
];
const target = mostly(TARGETS, fc.constantFrom(...ODD_TARGETS), latin1);
const host = fc.constantFrom('localhost', 'localhost', 'localhost', 'x:99999', '1.2.3.4.5', '[', '');
const version = mostly(
  ['HTTP/1.1'],
  fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9', 'http/1.1', '', 'X'),
);

const AUTHORIZATION = `Authorization: Basic ${btoa('bob:secret')}`;
const HEADERS = [
  AUTHORIZATION,
  'Host: other',
  'Expect: 100-continue',
  'Expect: a miracle',
  'Connection: keep-alive, close, upgrade',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Content-Encoding: gzip',
  'Cookie: sessionid=\xe9\xff; csrf=',
  'X-Forwarded-Proto: \xff',
  'Authorization: Basic \xff\xfe',
  'No colon here',
  ': no name',
  'Space : before the colon',
  ' folded: line',
  'Nul: \0',
  'Accept-Encoding: gzip, br',
  `Long: ${'x'.repeat(20_000)}`,
  ...['-1', '0x10', '5, 5', '9'.repeat(30), '', '+3', '1e3', '3'].map((length) => `Content-Length: ${length}`),
  ...['chunked', 'gzip, chunked', 'identity', 'chunked, chunked', 'xchunked'].map(
    (each) => `Transfer-Encoding: ${each}`,
  ),
];
const header = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HEADERS) },
  fc.tuple(latin1, latin1).map((pair) => pair.join(': ')),
);

const chunk = (data: string): string => `${data.length.toString(16)}\r\n${data}\r\n`;
/** Bodies with headers that match them, or do not. */
const framed = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('["http://example.org/raw"]', '{"add":["http://example.org/raw"]}', 'x'.repeat(100_000)),
      latin1,
    ),
    mostly(
      ['none', 'right', 'chunked'],
      fc.constantFrom('short', 'long', 'truncated', 'wrong size', 'huge', 'endless'),
    ),
  )
  .map(([body, way]): { headers: string[]; body: string } => {
    const length = (size: number): string[] => [`Content-Length: ${size}`];
    const chunked = ['Transfer-Encoding: chunked'];
    switch (way) {
      case 'right':
        return { headers: length(body.length), body };
      case 'short':
        return { headers: length(Math.floor(body.length / 2)), body };
      case 'long':
        return { headers: length(body.length + 10), body };
      case 'chunked':
        return { headers: chunked, body: `${chunk(body.slice(0, 9))}${chunk(body.slice(9))}0\r\nX-Trailer: 1\r\n\r\n` };
      case 'truncated':
        return { headers: chunked, body: chunk(body).slice(0, -5) };
      case 'wrong size':
        return { headers: chunked, body: `2\r\n${body}\r\n0\r\n\r\n` };
      case 'huge':
        return { headers: chunked, body: `fffffffffffffffff\r\n${body}` };
      case 'endless':
        return { headers: [...chunked, ...length(3)], body: chunk(body).repeat(3) };
      default:
        return { headers: [], body: '' };
    }
  });

const request = fc
  .tuple(
    method,
    target,
    host,
    version,
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) }),
    framed,
    mostly(['\r\n'], fc.constant('\n')),
  )
  .map(([verb, path, name, protocol, extra, { headers, body }, end]) => {
    const lines = [
      `${verb} ${path} ${protocol}`,
      `Host: ${name}`,
      AUTHORIZATION,
      'Connection: close',
      ...headers,
      ...extra,
    ];
    return `${lines.join(end)}${end}${end}${body}`;
  });

/** A request, split into chunks anywhere, or random text. */
export const rawConnection: fc.Arbitrary<RawConnection> = fc.record(
  {
    chunks: fc
      .tuple(
        fc.oneof({ weight: 9, arbitrary: request }, { weight: 1, arbitrary: latin1 }),
        fc.array(fc.nat(300), { maxLength: 3 }),
      )
      .map(([bytes, cuts]) => {
        const ends = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        return ends.slice(1).map((end, index) => bytes.slice(ends[index], end));
      }),
    ending: fc.constantFrom('waits', 'waits', 'waits', 'disconnects'),
  },
  { noNullPrototype: true },
);
