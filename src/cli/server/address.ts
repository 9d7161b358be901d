import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

const ALL_INTERFACES = new Set(['0.0.0.0', '::']);

/** The URLs at which a server that listens on `host` and `port` is reachable. */
export function reachableUrls({ host, port, tls }: { host: string; port: number; tls?: unknown }): string[] {
  const hosts = ALL_INTERFACES.has(host) ? externalAddresses(host) : [host];
  return hosts.map(
    (each) => new URL(`${tls ? 'https' : 'http'}://${isIP(each) === 6 ? `[${each}]` : each}:${port}`).origin,
  );
}

function externalAddresses(host: string): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(
    ({ internal, family, address }) =>
      !internal && (family === 'IPv4' || (host === '::' && !address.startsWith('fe80:'))),
  );
  return usable.length > 0 ? usable.map(({ address }) => address) : ['localhost'];
}
