import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { H3 } from 'h3';
import { afterEach, expect, it, vi } from 'vitest';
import { messages } from '../../../src/cli/output.ts';
import { limitConnections } from '../../../src/cli/server/connections.ts';
import { listenOnNetwork } from '../../../src/cli/server/network.ts';

const LONGER_THAN_THE_TEST = 600_000;
const PATIENT = {
  connections: 1000,
  pipelined: 1000,
  handshakeTimeout: LONGER_THAN_THE_TEST,
  closeTimeout: LONGER_THAN_THE_TEST,
};
const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(import.meta.dirname, '../tls', name)) as [
  string,
  string,
];
const TLS = { cert, key };
const ca = readFileSync(cert);
const HELLO_CUT_OFF = Buffer.from('16030102000100', 'hex');

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.restoreAllMocks();
});

const HELLO = new H3().get('/', () => 'hello');

/** A server on a free port, which is closed after the test. */
async function listen(limits: Partial<typeof PATIENT>, tls?: typeof TLS, app = HELLO): Promise<number> {
  const options = { host: '127.0.0.1', port: 0, ...(tls && { tls }) };
  const { port, close } = await listenOnNetwork(app, options, { ...PATIENT, ...limits });
  closers.push(() => close(0));
  return port;
}

/** A client that does not close its side of the connection. */
async function connectTo(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the connection is destroyed, which makes writing fail, and not only half-closed. */
async function isCut(socket: Socket): Promise<true> {
  socket.resume();
  if (!socket.readableEnded) await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  while (!socket.destroyed) {
    socket.write('x');
    await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
}

it('limits how long a client may take, and keeps idle connections longer than the 60 s of most proxies', async () => {
  const servers: unknown[] = [];
  const note = (message: unknown): void => void servers.push((message as { server: Server }).server);
  subscribe('http.server.request.start', note);
  closers.push(() => unsubscribe('http.server.request.start', note));
  const socket = await connectTo(await listen({}));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^Keep-Alive: timeout=65\r$/m);
  expect(servers).toMatchObject([{ headersTimeout: 15_000, requestTimeout: 120_000, timeout: 120_000 }]);
});

it.each([
  ['nothing at all', Buffer.alloc(0)],
  ['half a greeting', HELLO_CUT_OFF],
])('closes a TLS connection that sends %s', async (_what, sent) => {
  const port = await listen({ handshakeTimeout: 50 }, TLS);
  const sockets = await Promise.all(Array.from({ length: 5 }, () => connectTo(port)));
  for (const socket of sockets) if (sent.length > 0) socket.write(sent);
  expect(await Promise.all(sockets.map(isCut))).toEqual(Array(5).fill(true));
});

it('closes a TLS connection at once if it sends something else', async () => {
  const socket = await connectTo(await listen({}, TLS));
  socket.write('GET / HTTP/1.1\r\n\r\n');
  expect(await isCut(socket)).toBe(true);
});

it('keeps a TLS connection open after its handshake', async () => {
  const port = await listen({ handshakeTimeout: 3000 }, TLS);
  const silent = await connectTo(port);
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    ca,
    servername: 'localhost',
    checkServerIdentity: () => undefined,
  });
  closers.push(() => socket.destroy());
  await once(socket, 'secureConnect');
  await isCut(silent); // the timeout has passed for both
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
});

it.each([
  ['http', () => createServer()],
  ['https', () => createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) })],
])('%s: disconnects a client that does not close after the response to a malformed request', async (scheme, create) => {
  const server = create().listen(0, '127.0.0.1');
  closers.push(() => server.close());
  limitConnections(server, { ...PATIENT, closeTimeout: 50 }, () => undefined);
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const raw = await connectTo((server.address() as AddressInfo).port);
  const [connection] = (await accepted) as [Socket];
  const closed = once(connection, 'close');
  const socket = scheme === 'http' ? raw : connectTls({ socket: raw, ca, checkServerIdentity: () => undefined });
  socket.write('no request\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
  await closed;
});

it('accepts connections up to the limit, warns once, and accepts others when some are closed', async () => {
  const warn = vi.spyOn(messages, 'warn').mockImplementation(() => undefined);
  const port = await listen({ connections: 2 });
  const [first] = await Promise.all([connectTo(port), connectTo(port)]);
  const refused = await Promise.all([connectTo(port), connectTo(port)]);
  expect(await Promise.all(refused.map(isCut))).toEqual([true, true]);
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^2 connections are open, the most that are accepted/)]]);
  const send = async (socket: Socket): Promise<string> => {
    socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    return text(socket);
  };
  expect(await send(first!)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await send(await connectTo(port))).toMatch(/^HTTP\/1\.1 200 /);
});

it.each([
  ['http', undefined],
  ['https', TLS],
])('%s: disconnects a client that sends many requests without waiting for their responses', async (scheme, tls) => {
  let handled = 0;
  const app = new H3().get('/', () => {
    handled += 1;
    return new Promise(() => undefined);
  });
  const raw = await connectTo(await listen({ pipelined: 3 }, tls, app));
  const socket = scheme === 'http' ? raw : connectTls({ socket: raw, ca, checkServerIdentity: () => undefined });
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10_000));
  await closed;
  expect(handled).toBe(1); // the others wait
});

it('handles the requests of a connection one after another, each with its body', async () => {
  const handled: string[] = [];
  let respond!: () => void;
  const app = new H3().post('/:name', async (event) => {
    handled.push(event.context.params!.name!);
    if (handled.length === 1) await new Promise<void>((resolve) => (respond = resolve));
    return `${(await event.req.text()).length} bytes`;
  });
  const port = await listen({ pipelined: 3 }, undefined, app);
  const socket = await connectTo(port);
  const head = (name: string, length: number): string =>
    `POST /${name} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  socket.write(head('first', 3) + 'abc' + head('second', 300_000) + 'x'.repeat(300_000));
  const other = await connectTo(port); // by its response, the server has read the first two
  other.end('GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await text(other);
  expect(handled).toEqual(['first']);
  respond();
  let answers = '';
  while (!answers.includes('300000 bytes')) answers += String((await once(socket, 'data'))[0]);
  expect(answers.indexOf('3 bytes')).toBeGreaterThan(0);
  expect(handled).toEqual(['first', 'second']);
});

it('accepts any number of requests on a connection while no more than the limit are pending', async () => {
  const socket = await connectTo(await listen({ pipelined: 3 }));
  const send = (count: number): boolean => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  send(3);
  let answers = '';
  for (let answered = 0; answered < 30;) {
    answers += String((await once(socket, 'data'))[0]);
    const count = answers.split('hello').length - 1;
    if (count > answered) send(count - answered);
    answered = count;
  }
});

it('accepts any number of requests one after another on a connection', async () => {
  const socket = await connectTo(await listen({ pipelined: 2 }));
  for (let time = 0; time < 5; time += 1) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    let answer = '';
    while (!answer.endsWith('hello')) answer += String((await once(socket, 'data'))[0]);
  }
});
