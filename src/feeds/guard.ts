import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { FetchError, NotPublicError } from './failure.ts';
import { BLOCKED_PORTS } from './ports.ts';

interface GuardOptions {
  /** Which addresses may be connected to. */
  allows(address: string): boolean;
  /** Addresses of a host name. Rejects where there is none. */
  resolve?: Resolve;
}

export type Resolve = (host: string) => Promise<string[]>;

/** Milliseconds after which an attempt that nobody waits for any more is ended. */
const CONNECT_TIMEOUT = 20_000;
const NOT_PUBLIC = 'it is not at a public address, and --allow-private-feeds is off';

/**
 * Connects only to what `allows` lets through, whatever led there: a URL, a redirect, or a name whose addresses change.
 * A name is resolved once, and what was checked is what is connected to; one wrong address among several is enough to
 * refuse it. Ports that browsers do not fetch from are refused. Proxy variables are not followed.
 */
export function createGuardedAgent({ allows, resolve = resolveName }: GuardOptions): Agent {
  async function find(host: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(host);
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    if (!addresses.every(allows)) throw new NotPublicError(NOT_PUBLIC);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
  const lookup: LookupFunction = (host, { all }, callback) => {
    find(host).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error) => callback(error, ''),
    );
  };
  const refuse = (host: string, port: string): FetchError | undefined => {
    if (port !== '' && BLOCKED_PORTS.has(Number(port))) {
      return new FetchError('its port belongs to another service than the web');
    }
    // An address in the URL is connected to without any look-up.
    return isIP(host) !== 0 && !allows(host) ? new NotPublicError(NOT_PUBLIC) : undefined;
  };
  const connect = buildConnector({ lookup, timeout: CONNECT_TIMEOUT });
  return new Agent({
    connect(options, callback) {
      const refusal = refuse(unbracket(options.hostname), options.port);
      if (refusal === undefined) connect(options, callback);
      else callback(refusal, null);
    },
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 1000,
  });
}

/** Of a host in a URL: without the brackets of an IPv6 address. */
export const unbracket = (host: string): string => host.replace(/^\[|\]$/g, '');

export async function resolveName(host: string): Promise<string[]> {
  const found = await lookUp(host, { all: true });
  return found.map(({ address }) => address);
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16') as [ipaddr.IPv6, number];

/**
 * Whether an address is one of the public internet. An IPv6 address that stands for an IPv4 address (mapped, NAT64,
 * 6to4) is as public as that. Outside 2000::/3 no IPv6 address is, whatever else is in the registry.
 */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  const bytes = address.toByteArray();
  if (address.match(NAT64)) return isPublic(bytes.slice(12).join('.'));
  if (address.match(SIX_TO_FOUR)) return isPublic(bytes.slice(2, 6).join('.'));
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST);
}
