import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { refuseMalformed } from '../../src/http/malformed-request.ts';
import { listen } from '../listen.ts';

/** A server and a connection to it. */
async function open(answer: RequestListener): Promise<{ server: Server; socket: Socket }> {
  const { server, port } = await listen(answer);
  server.on('clientError', (error, socket) => refuseMalformed(error, socket as Socket, 60_000));
  return { server, socket: connect(port, '127.0.0.1').setEncoding('utf8') };
}

it('a request that takes too long to arrive is answered with 408 as JSON, and the connection closes', async () => {
  const { server, socket } = await open(() => undefined);
  const [accepted] = await once(server, 'connection');
  server.emit('clientError', Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), accepted);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(JSON.parse(body)).toEqual({ code: 408, message: 'the request took too long to arrive' });
  const [status, ...headers] = head.split('\r\n');
  expect(status).toBe('HTTP/1.1 408 Request Timeout');
  expect(headers).toEqual(
    expect.arrayContaining(['connection: close', 'content-type: application/json', `content-length: ${body.length}`]),
  );
});

it('a malformed request during another response is not answered in the middle of it', async () => {
  const { socket } = await open((_request, response) => void response.write('half'));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  let answer = '';
  while (!answer.includes('half')) answer += (await once(socket, 'data'))[0];
  socket.write('no request\r\n\r\n');
  expect(await text(socket)).not.toContain('HTTP');
});
