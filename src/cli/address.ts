import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

const EVERY = new Set(['0.0.0.0', '::']);

/** Whether only this machine reaches it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);

/** The addresses under which other machines, or this one, reach a server that listens on `host` and `port`. */
export function reachableUrls({ host, port, tls }: { host: string; port: number; tls?: unknown }): string[] {
  const hosts = EVERY.has(host) ? outsideAddresses(host) : [host];
  return hosts.map(
    (each) => new URL(`${tls ? 'https' : 'http'}://${isIP(each) === 6 ? `[${each}]` : each}:${port}`).origin,
  );
}

function outsideAddresses(host: string): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(
    ({ internal, family, address }) =>
      !internal && (family === 'IPv4' || (host === '::' && !address.startsWith('fe80:'))),
  );
  return usable.length > 0 ? usable.map(({ address }) => address) : ['localhost'];
}
