import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { finished, pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { openTestServer, TARGETS, type TestServer } from '../../server.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const URL_ENCODED = 'application/x-www-form-urlencoded';
const OPML = '<opml><body><outline xmlUrl="http://example.org/a"/></body></opml>';
const UPLOAD = { username: 'bob', password: 'secret', action: 'update-subscriptions', protocol: '0', opml: OPML };
const UPLOADED = new URLSearchParams(UPLOAD).toString();
/** The fields of an upload as multipart. */
const multipart = (boundary: string): string =>
  `${Object.entries(UPLOAD)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--${boundary}--\r\n`;

const LONGEST_BOUNDARY = 'b'.repeat(70);

async function send(
  { app }: TestServer,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers = {},
): Promise<Response> {
  return app.request(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  });
}

it.each([
  [URL_ENCODED, UPLOADED],
  [`${URL_ENCODED}; charset=UTF-8`, UPLOADED],
  ['Application/X-WWW-Form-UrlEncoded', UPLOADED],
  ['multipart/form-data; boundary=x', multipart('x')],
  ['multipart/form-data; boundary="----a:b"', multipart('----a:b')],
  ['Multipart/Form-Data; charset=utf-8; Boundary=x', multipart('x')],
  ["multipart/form-data; boundary*=utf-8''y; boundary=x", multipart('x')],
  [`multipart/form-data; boundary=${LONGEST_BOUNDARY}`, multipart(LONGEST_BOUNDARY)],
])('accepts a form of the type %s', async (type, body) => {
  const answer = await send(await openTestServer(), '/upload', type, body);
  expect(await answer.text()).toBe('@SUCCESS');
});

it.each([
  ['as a browser writes it', encodeURIComponent(OPML).replaceAll('%20', '+')],
  ['with nothing escaped', OPML],
  ['with a wrong escape', OPML.replace('<outline', '<outline text="100% ü %zz"')],
])('reads a field %s', async (_, opml) => {
  const server = await openTestServer();
  const fields = `username=bob&password=secret&=nameless&action=update-subscriptions&protocol=0&opml=${opml}`;
  expect(await (await send(server, '/upload', URL_ENCODED, fields)).text()).toBe('@SUCCESS');
  const headers = { authorization: `Basic ${btoa('bob:secret')}` };
  const list = await server.app.request('http://localhost/subscriptions/bob/legacy.txt', { headers });
  expect((await list.text()).trim()).toBe('http://example.org/a');
});

it('reads a field of several megabytes', async () => {
  const server = await openTestServer({ maxBody: 4 * 1024 * 1024 });
  const body = multipart('x').replace('<body>', `<body>${' '.repeat(2 * 1024 * 1024)}`);
  expect(await (await send(server, '/upload', 'multipart/form-data; boundary=x', body)).text()).toBe('@SUCCESS');
});

it('ignores a part without a name', async () => {
  const nameless = '--x\r\nContent-Disposition: form-data\r\n\r\nnothing\r\n';
  const body = nameless + multipart('x');
  expect(await (await send(await openTestServer(), '/upload', 'multipart/form-data; boundary=x', body)).text()).toBe(
    '@SUCCESS',
  );
});

const writePart = (name: string, value: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

it.each([
  ['an escaped value', URL_ENCODED, 'name=%e9'],
  ['an escaped name', URL_ENCODED, '%e9=bob'],
  ['the first of two values', URL_ENCODED, 'name=%e9&name=bob'],
  ['a bare value', URL_ENCODED, 'name=\xe9'],
  ['a value in a part', 'multipart/form-data; boundary=x', writePart('name', '\xe9')],
  ['the name of a part', 'multipart/form-data; boundary=x', writePart('\xe9', 'bob')],
  ['the first of two parts', 'multipart/form-data; boundary=x', writePart('name', '\xe9') + writePart('name', 'bob')],
])('refuses a form with %s that is not UTF-8', async (_, type, fields) => {
  const server = await openTestServer({ registration: 'open' });
  const body = type === URL_ENCODED ? fields : `${fields}--x--\r\n`;
  const answer = await send(server, '/register', type, Uint8Array.from(Buffer.from(body, 'latin1')));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('not UTF-8')]);
});

it.each([
  ['multipart/form-data; boundary=zz, application/x-www-form-urlencoded', UPLOADED],
  ['text/plain, multipart/form-data; boundary=x', multipart('x')],
  ['application/x-www-form-urlencoded, text/plain', UPLOADED],
  ['application/x-www-form-urlencoded; charset=utf-8, multipart/form-data; boundary=x', UPLOADED],
  ['text/plain', UPLOADED],
  ['form', UPLOADED],
  ['', UPLOADED],
  ['multipart/form-data', multipart('x')],
  ['multipart/form-data; boundary="x\\" y"', multipart('x')],
  [`multipart/form-data; boundary=${LONGEST_BOUNDARY}x`, multipart(`${LONGEST_BOUNDARY}x`)],
  ['multipart/form-data-x; boundary=x', multipart('x')],
  ['application/x-www-form-urlencodedx', UPLOADED],
])('refuses a form of the type "%s"', async (type, body) => {
  const server = await openTestServer({ registration: 'open' });
  const upload = await send(server, '/upload', type, body);
  expect([upload.status, await upload.text()]).toEqual([200, '@PROTOERROR']);
  const registration = await send(server, '/register', type, body);
  expect([registration.status, await registration.text()]).toEqual([
    400,
    expect.stringContaining('a form needs one Content-Type'),
  ]);
});

it('refuses a compressed form before decompressing it', async () => {
  const server = await openTestServer({ registration: 'open' });
  const body = new Uint8Array(gzipSync(UPLOADED));
  const headers = { 'content-encoding': 'gzip' };
  expect(await (await send(server, '/upload', URL_ENCODED, body, headers)).text()).toBe('@PROTOERROR');
  const registration = await send(server, '/register', URL_ENCODED, body, headers);
  expect([registration.status, await registration.text()]).toEqual([
    400,
    expect.stringContaining('without Content-Encoding'),
  ]);
});

it('refuses a form with two Content-Type headers', async () => {
  const { origin } = await openTestServer({}, 'socket');
  const { hostname, port } = new URL(origin!);
  const socket = connect(Number(port), hostname);
  const types = `Content-Type: ${URL_ENCODED}\r\nContent-Type: multipart/form-data; boundary=x\r\n`;
  socket.end(
    `POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${types}Content-Length: ${UPLOADED.length}\r\n\r\n${UPLOADED}`,
  );
  expect((await socket.toArray()).join('')).toContain('@PROTOERROR');
});

it.each([
  ['fields', URL_ENCODED, `${UPLOADED}${'&a'.repeat(1_000_000)}`],
  ['empty parts', 'multipart/form-data; boundary=x', `${'--x\r\n'.repeat(500_000)}`],
  [
    'parts',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(50_000),
  ],
])('stops reading a form with too many %s', async (_, type, body) => {
  const { app } = await openTestServer({ maxBody: 16 * 1024 * 1024 });
  let taken = 0;
  const bytes = Buffer.from(body);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(taken, (taken += 65_536))));
    },
  });
  const init = { method: 'POST', headers: { 'content-type': type }, body: stream, duplex: 'half' };
  expect(await (await app.request('http://localhost/upload', init as RequestInit)).text()).toBe('@PROTOERROR');
  expect(taken).toBeLessThan(bytes.length / 2);
});

it.each([
  ['cut off', multipart('x').slice(0, -10)],
  ['cut off in a file', '--x\r\nContent-Disposition: form-data; name="opml"; filename="a"\r\n\r\n<opml>'],
  ['of another boundary', multipart('y')],
  ['empty', ''],
])('refuses a multipart form that is %s', async (_, body) => {
  const server = await openTestServer({ registration: 'open' });
  expect(await (await send(server, '/upload', 'multipart/form-data; boundary=x', body)).text()).toBe('@PROTOERROR');
  expect((await send(server, '/register', 'multipart/form-data; boundary=x', body)).status).toBe(400);
});

it('cuts off a form that stalls while another waits, also if an earlier one has arrived and is still being read', async () => {
  const limit = 1024 * 1024;
  const server = await openTestServer({ maxBody: limit, budget: { bytes: 2 * limit, receive: 11 } }, 'socket');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { bodyParser } = server.services;
  const { list } = bodyParser;
  const steps = new EventEmitter();
  const reading = once(steps, 'read');
  vi.spyOn(bodyParser, 'list').mockImplementationOnce(async (...upload) => {
    await reading;
    return list(...upload);
  });
  const body = new URLSearchParams({ ...UPLOAD, opml: OPML.padEnd(100_000) }).toString();
  const headers = { 'content-type': URL_ENCODED };
  const upload = async () => (await server.request('POST', '/upload', { headers, body })).text();
  const arrived = upload();
  await expect.poll(() => bodyParser.list).toHaveBeenCalledOnce();
  const { hostname, port } = new URL(server.origin!);
  const stalled = connect(Number(port), hostname).on('error', () => undefined);
  const head = `POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: ${URL_ENCODED}\r\nContent-Length: ${body.length}\r\n\r\n`;
  stalled.write(head + body.slice(0, -1));
  await expect.poll(() => timers.mock.calls.filter(([, delay]) => delay === 11_000)).toHaveLength(2);
  vi.advanceTimersByTime(11_000);
  expect(await upload()).toBe('@SUCCESS');
  steps.emit('read');
  expect(await arrived).toBe('@SUCCESS');
});

const LARGE = 2 ** 30;

const REFUSED: [method: string, path: string, status: number, headers: Record<string, string>][] = [
  ['POST', '/upload', 200, { 'content-type': URL_ENCODED }],
  ['POST', '/register', 413, { 'content-type': URL_ENCODED }],
  ['PUT', '/subscriptions/bob/phone.opml', 413, { authorization: `Basic ${btoa('bob:secret')}` }],
  ['PUT', '/subscriptions/bob/phone.opml', 401, {}],
  ['POST', '/nowhere', 404, {}],
  ['DELETE', '/api/2/devices/bob/phone.json', 405, {}],
];

it('answers at once if a large body is announced but not sent, and then closes the connection', async () => {
  const { origin } = await openTestServer({}, 'socket');
  const { hostname, port } = new URL(origin!);
  const requests = REFUSED.flatMap(([method, path, status, headers]) =>
    ['keep-alive', 'close'].map((connection) => [method, path, status, { ...headers, connection }] as const),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sockets = requests.map(([method, path, , headers]) => {
    const lines = Object.entries({ host: 'x', 'content-length': LARGE, ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = connect(Number(port), hostname);
    socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`);
    return socket;
  });
  const closed = sockets.map((socket) => once(socket, 'close'));
  const state = { isOver: false };
  const answered = Promise.all(sockets.map((socket) => once(socket, 'data'))).finally(() => (state.isOver = true));
  // Time passes only while the server waits for at most a second.
  const waits = vi.spyOn(globalThis, 'setTimeout');
  while (!state.isOver) {
    await setImmediate();
    if (waits.mock.calls.some(([, delay]) => delay! <= 1000)) vi.advanceTimersByTime(1000);
    waits.mockClear();
  }
  const expected = requests.map(([, , status]) => expect.stringMatching(new RegExp(`^HTTP/1.1 ${status} `)));
  expect((await answered).map(([answer]) => String(answer))).toEqual(expected);
  // Nothing is sent: the server does not keep the connection open for long.
  vi.advanceTimersByTime(10_000);
  for (const socket of sockets) socket.resume();
  await Promise.all(closed);
});

it('serves the next request on a connection whose client sent the refused body after all', async () => {
  const { origin } = await openTestServer({ maxBody: 1000 }, 'socket');
  const { hostname, port } = new URL(origin!);
  const socket = connect(Number(port), hostname);
  const size = 4 * 1024 * 1024;
  socket.write(`POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  expect(`${first}`).toMatch(/^HTTP\/1\.1 404 /);
  socket.write(Buffer.alloc(size));
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 /);
});

it('receives the refused body from a client that sends it only after the response, though the connection ends', async () => {
  const { origin } = await openTestServer({}, 'socket');
  const { hostname, port } = new URL(origin!);
  const socket = connect(Number(port), hostname);
  const size = 4 * 1024 * 1024;
  socket.write(`POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  expect(`${first}`).toMatch(/^HTTP\/1\.1 404 /);
  socket.resume();
  await finished(socket.end(Buffer.alloc(size)));
});

it('disconnects a client whose refused body does not end', async () => {
  const { origin } = await openTestServer({}, 'socket');
  const { hostname, port } = new URL(origin!);
  const chunk = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}\r\n`;
  const endless = function* (): Iterable<string> {
    yield 'POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (let megabytes = 0; megabytes < 200; megabytes += 1) yield chunk;
  };
  await expect(pipeline(endless, connect(Number(port), hostname))).rejects.toThrow();
});

it.each(TARGETS)('a client that sends everything before it reads receives the refusal (%s)', async (target) => {
  const { request } = await openTestServer({ maxBody: 1000 }, target);
  const body = new Uint8Array(8 * 1024 * 1024);
  expect((await request('POST', '/nowhere', { body })).status).toBe(404);
});
