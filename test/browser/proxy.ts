import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const TLS = join(import.meta.dirname, '../cli/tls');

export interface Proxy {
  /** The address of `path` at the proxy. */
  base: string;
  /** The server that receives what is below `path`, without it. */
  target: string;
  close(): void;
}

/** A reverse proxy with https that serves another server below a path; anything else is not found. */
export async function openProxy(path: string): Promise<Proxy> {
  const tls = { cert: readFileSync(join(TLS, 'cert.pem')), key: readFileSync(join(TLS, 'key.pem')) };
  const server = createServer(tls, (incoming, response) => {
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
    base: `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    target: '',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}
