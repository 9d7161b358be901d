import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, createServer, get, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDrain } from '../../../src/cli/server/connections.ts';

const LONGER_THAN_THE_TEST = 600_000;

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it('does not wait for idle connections', async () => {
  const server = createServer((_request, response) => response.end('done'));
  const drain = createDrain(server);
  const port = await listen(server);
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(get({ port, host: '127.0.0.1', agent }), 'response');
  await once(response.resume(), 'end');
  await drain(LONGER_THAN_THE_TEST);
  agent.destroy();
});

it('finishes a request on a kept-alive connection, and accepts no further one', async () => {
  let finish!: () => void;
  const server = createServer((_request, response) => (finish = () => response.end('done')));
  const drain = createDrain(server);
  const port = await listen(server);
  const agent = new Agent({ keepAlive: true });
  const answered = once(get({ port, host: '127.0.0.1', agent }), 'response');
  await once(server, 'request');
  const drained = drain(LONGER_THAN_THE_TEST);
  finish();
  const [response] = await answered;
  expect(response.statusCode).toBe(200);
  response.resume();
  await drained;
  agent.destroy();
});

it('closes connections whose requests have not ended by the deadline', async () => {
  const server = createServer(() => undefined);
  const drain = createDrain(server);
  const stuck = get({ port: await listen(server), host: '127.0.0.1' });
  await once(server, 'request');
  const cut = once(stuck, 'error');
  await drain(1);
  expect((await cut)[0]).toMatchObject({ code: 'ECONNRESET' });
});

it('closes connections without a TLS handshake by the deadline', async () => {
  const folder = join(import.meta.dirname, '../tls');
  const [cert, key] = await Promise.all(['cert.pem', 'key.pem'].map((name) => readFile(join(folder, name))));
  const server = createTlsServer({ cert, key });
  const drain = createDrain(server);
  const silent = connect(await listen(server), '127.0.0.1');
  await once(server, 'connection');
  const closed = once(silent, 'close');
  await drain(1);
  await closed;
});
