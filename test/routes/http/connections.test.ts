import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { finished } from 'node:stream/promises';
import { toNodeHandler } from 'h3';
import { expect, it } from 'vitest';
import { listen, type Listener } from '../../listen.ts';
import { openTestServer } from '../../server.ts';

it.each([
  ['x:99999', '//api/2/devices/bob.json'],
  ['[', '//api/2/devices/bob.json'],
  ['a b', '//api/2/devices/bob.json'],
  ['', '//api/2/devices/bob.json'],
  // h3 itself normalizes these, before it calls any code of ours
  ['x:99999', '/api/2/devices/%62ob.json'],
  ['1.2.3.4.5', '/api/2/./devices/bob.json'],
  ['xn--a', '/api/2/devices/bob.json?"'],
])('refuses a request to the Host %j for %s', async (host, path) => {
  const { app } = await openTestServer();
  const server = createServer({ requireHostHeader: false }, toNodeHandler(app)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const answer = (await socket.toArray()).join('');
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(answer).toContain('x-content-type-options: nosniff');
  expect(answer).not.toContain('    at ');
  server.close();
});

/** A server that reads bodies of 1,000 bytes. */
const openSocket = async (): Promise<Listener> => listen(toNodeHandler((await openTestServer({ maxBody: 1000 })).app));

it('reads the body before it refuses, so that the client sees the reason', async () => {
  const { port } = await openSocket();
  for (const [method, path] of [
    ['POST', '/api/2/episodes/bob.json'],
    ['DELETE', '/api/2/episodes/bob.json'],
    ['POST', '/nowhere'],
  ]) {
    const socket = connect(port, '127.0.0.1');
    const size = 8 * 1024 * 1024;
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
    socket.end(Buffer.alloc(size, 'x'));
    expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 (401|404|405) /);
  }
});

it('reads the body also if the refusal is a 200', async () => {
  const { port } = await openSocket();
  const socket = connect(port, '127.0.0.1');
  const size = 8 * 1024 * 1024;
  // Without a length, so that the excess is only detected while reading.
  socket.write('POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n');
  // Such a client sends everything before it reads.
  await finished(socket.end(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`), { readable: false });
  expect((await socket.toArray()).join('')).toContain('@PROTOERROR');
});
