import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { FetchError, NotPublicError } from './fetch-error.ts';

interface GuardOptions {
  /** Whether connections to this address are allowed. */
  allows(address: string): boolean;
  /** Resolves a host name to addresses. Rejects if there are none. */
  resolve: Resolve;
}

export type Resolve = (host: string) => Promise<string[]>;

/** Milliseconds after which an abandoned connection attempt is closed. */
const CONNECT_TIMEOUT = 20_000;
/**
 * Milliseconds after which the next address of a host is tried instead. Node's 250 ms are too short for a distant host: it
 * fails if its last address is IPv6 and this network has none.
 */
export const ADDRESS_TIMEOUT = 2000;
const NOT_PUBLIC = 'it is not at a public address, and --allow-private-feeds is off';

/**
 * Protects against server-side request forgery: connects only to addresses that `allows` accepts, whether they come
 * from a URL, a redirect, or DNS rebinding. A name is resolved once, and the connection uses the addresses that were
 * checked; all of them must be allowed. Refuses ports that browsers block. Ignores proxy variables.
 */
export function createGuardedAgent({ allows, resolve }: GuardOptions): Agent {
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
      return new FetchError('its port belongs to a service other than the web');
    }
    // An address in the URL is not resolved, so it is checked here.
    return isIP(host) !== 0 && !allows(host) ? new NotPublicError(NOT_PUBLIC) : undefined;
  };
  const connect = buildConnector({ lookup, timeout: CONNECT_TIMEOUT, autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT });
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

/** The host of a URL without the brackets of an IPv6 address. */
export const unbracket = (host: string): string => host.replace(/^\[|\]$/g, '');

export async function resolveName(host: string): Promise<string[]> {
  const found = await lookUp(host, { all: true });
  return found.map(({ address }) => address);
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** The host of a virtual machine in Azure, which gives it its configuration. Registered as a public address. */
const AZURE_HOST = '168.63.129.16';
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16') as [ipaddr.IPv6, number];

/**
 * Whether an address belongs to the public internet. An IPv6 address that contains an IPv4 address (mapped, NAT64,
 * 6to4) is public if that is. Other IPv6 addresses are public only within 2000::/3.
 */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== AZURE_HOST;
  const bytes = address.toByteArray();
  if (address.match(NAT64)) return isPublic(bytes.slice(12).join('.'));
  if (address.match(SIX_TO_FOUR)) return isPublic(bytes.slice(2, 6).join('.'));
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST);
}

/** The "bad ports" of the Fetch standard: services of other protocols could interpret parts of a request. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
