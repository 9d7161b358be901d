import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Proxy {
  /** The address of `path` at the proxy. */
  base: string;
  /** The server that receives what is below `path`, without it. */
  target: string;
  close(): void;
}

/** A reverse proxy that serves another server below a path; anything else is not found. */
export async function openProxy(path: string): Promise<Proxy> {
  const server = createServer((incoming, response) => {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(`${path}/`)) return response.writeHead(url === '/favicon.ico' ? 204 : 404).end();
    const sent = request(proxy.target + url.slice(path.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    return incoming.pipe(sent);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    target: '',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}
