import { createConnection } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { text } from './text.ts';

/** What a client sends over one connection, in pieces, and how it leaves. Each character is a byte. */
export interface Conversation {
  pieces: string[];
  ending: 'waits' | 'hangs up';
}

/** Milliseconds without a word after which a client believes that there will be none. */
const SILENCE = 50;

/** Says it all, and answers what came back, which may be nothing. */
export async function converse(port: number, { pieces, ending }: Conversation): Promise<string> {
  const socket = createConnection(port, '127.0.0.1').setEncoding('latin1').setTimeout(SILENCE);
  let heard = '';
  socket.on('data', (piece) => (heard += piece));
  socket.on('error', () => undefined); // it may be cut off in the middle of a word
  socket.on('timeout', () => (socket.writable ? socket.end() : socket.destroy()));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece, 'latin1');
    await setImmediate();
  }
  if (ending === 'hangs up') socket.destroy();
  await closed;
  return heard;
}

// ---- what is said ----------------------------------------------------------

const latin1 = text.map((value) => Buffer.from(value).toString('latin1'));
const mostly = <T>(usual: T[], ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 14, arbitrary: fc.constantFrom(...usual) }, ...others);

const METHODS = ['GET', 'PUT', 'POST', 'PUT', 'POST', 'HEAD', 'OPTIONS', 'DELETE'];
const method = mostly(METHODS, fc.constantFrom('get', 'TRACE', 'CONNECT', 'PRI', '', 'G'.repeat(9999)), latin1);

const TARGETS = [
  '/subscriptions/bob/raw.json',
  '/api/2/subscriptions/bob/raw.json?since=0',
  '/api/2/episodes/bob.json',
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
/** Bodies with the headers that go with them, or do not. */
const framed = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('["http://example.org/raw"]', '{"add":["http://example.org/raw"]}', 'x'.repeat(100_000)),
      latin1,
    ),
    mostly(['none', 'right', 'chunked'], fc.constantFrom('short', 'long', 'cut', 'lying', 'huge', 'endless')),
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
      case 'cut':
        return { headers: chunked, body: chunk(body).slice(0, -5) };
      case 'lying':
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
    version,
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) }),
    framed,
    mostly(['\r\n'], fc.constant('\n')),
  )
  .map(([verb, path, protocol, extra, { headers, body }, end]) => {
    const lines = [
      `${verb} ${path} ${protocol}`,
      'Host: localhost',
      AUTHORIZATION,
      'Connection: close',
      ...headers,
      ...extra,
    ];
    return `${lines.join(end)}${end}${end}${body}`;
  });

/** A request, cut into pieces anywhere, or nothing that looks like one. */
export const conversation: fc.Arbitrary<Conversation> = fc.record(
  {
    pieces: fc
      .tuple(
        fc.oneof({ weight: 9, arbitrary: request }, { weight: 1, arbitrary: latin1 }),
        fc.array(fc.nat(300), { maxLength: 3 }),
      )
      .map(([bytes, cuts]) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        return places.slice(1).map((place, index) => bytes.slice(places[index], place));
      }),
    ending: fc.constantFrom('waits', 'waits', 'waits', 'hangs up'),
  },
  { noNullPrototype: true },
);
