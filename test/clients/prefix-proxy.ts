import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy {
  origin: string;
  /** URL that requests are forwarded to; may be changed. */
  target: string;
  close(): Promise<void>;
}

/** A reverse proxy for one path, which it strips before it forwards a request. */
export async function openPrefixProxy(prefix: string): Promise<PrefixProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end('another site');
    const forwarded = request(new URL(url.slice(prefix.length), proxy.target), { method, headers });
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const proxy: PrefixProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return proxy;
}
