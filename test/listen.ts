import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Listener {
  server: Server;
  port: number;
  origin: string;
}

/** Serves HTTP on a free port of 127.0.0.1 or the given address; it is closed after the test. */
export async function listen(answer: RequestListener, address = '127.0.0.1'): Promise<Listener> {
  const server = createServer(answer).listen(0, address);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    if (server.listening) await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, origin: `http://${address}:${port}` };
}
