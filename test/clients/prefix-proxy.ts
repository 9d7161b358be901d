import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy {
  origin: string;
  /** Where requests go from now on. */
  target: string;
  close(): Promise<void>;
}

/** A reverse proxy that serves one path alone, and takes it off before it passes a request on. */
export async function openPrefixProxy(prefix: string): Promise<PrefixProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end('this is another site');
    const passed = request(new URL(url.slice(prefix.length), proxy.target), { method, headers });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
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
