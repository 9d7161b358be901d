import type { H3Event } from 'h3';
import ipaddr from 'ipaddr.js';
import type { Seconds } from '../domain/types.ts';

/** How the outside sees this server. */
export interface OriginRules {
  /** Without a slash at the end, such as `https://host/sub`; undefined: what the request says. */
  baseUrl?: string;
  /** Whether a proxy in front sets `X-Forwarded-*`. Anybody could send these otherwise. */
  trustProxy: boolean;
}

/** What the nearest proxy wrote, which comes last: earlier entries may be the client's own. */
function forwarded(event: H3Event, name: string): string | undefined {
  return event.req.headers.get(`x-forwarded-${name}`)?.split(',').at(-1)?.trim() || undefined;
}

/** Where a request comes from, for the throttle. */
export interface Client {
  /** Of IPv6 the network. Empty over a unix socket. */
  address: string;
  /** Whether the address is that of a proxy that is not trusted: everybody behind it has the same one. */
  isShared: boolean;
}

export function readClient(event: H3Event, rules: OriginRules): Client {
  const address = (rules.trustProxy ? forwarded(event, 'for') : undefined) ?? event.req.ip ?? '';
  return { address: toNetwork(address), isShared: isProxied(event, rules) };
}

/** Whether a proxy on this machine or on a private network has forwarded a request, and is not trusted. */
export function isProxied(event: H3Event, { trustProxy }: OriginRules): boolean {
  const { headers, ip } = event.req;
  return !trustProxy && (headers.has('x-forwarded-for') || headers.has('forwarded')) && !isPublic(ip ?? '');
}

const isPublic = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** Without the port that some proxies add. Of IPv6 the /64: everybody has a whole one to send from. */
function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  if (!ipaddr.isValid(bare)) return address;
  const ip = ipaddr.process(bare); // IPv4 that is written as IPv6 becomes IPv4
  const text = ip.toNormalizedString();
  return ip.kind() === 'ipv6' ? `${text.split(':', 4).join(':')}::/64` : text;
}

/** Whether the client reached us over TLS, as far as we are told. */
function isSecure(event: H3Event, { baseUrl, trustProxy }: OriginRules): boolean {
  if (baseUrl !== undefined) return baseUrl.startsWith('https:');
  const scheme = trustProxy ? forwarded(event, 'proto') : undefined;
  return (scheme ?? event.url.protocol.replace(':', '')).toLowerCase() === 'https';
}

export interface Cookie {
  name: string;
  value: string;
  path: string;
  life: Seconds;
  sameSite: 'Lax' | 'Strict';
}

/** A `Set-Cookie` that no script reads, and that goes over TLS alone where the client reached us so. */
export function writeCookie(event: H3Event, rules: OriginRules, { name, value, path, life, sameSite }: Cookie): string {
  const secure = isSecure(event, rules) ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${life}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Path that everything lies below, without a slash at the end; empty at the root. */
export const basePath = ({ baseUrl }: OriginRules): string =>
  baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');

const sentTo = (event: H3Event): string => event.req.headers.get('host') ?? event.url.host;

/**
 * Whether a page with this `Origin` is of this server: under the host of the request, or of `publicBase`. Only hosts and
 * ports are compared, as the scheme is not known behind every proxy.
 */
export function isOwnOrigin(event: H3Event, rules: OriginRules, origin: string): boolean {
  const host = hostOf(origin);
  return host !== '' && [sentTo(event), hostOf(publicBase(event, rules))].includes(host);
}

/** Empty where there is none, as in `null`, the origin of a page that hides where it is. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : '');

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Where the outside finds this server, without a slash at the end: what links, `Location` and the like begin with.
 * Without a base URL it is what the request was sent to.
 */
export function publicBase(event: H3Event, rules: OriginRules): string {
  if (rules.baseUrl !== undefined) return rules.baseUrl;
  const host = (rules.trustProxy ? forwarded(event, 'host') : undefined) ?? sentTo(event);
  return `${isSecure(event, rules) ? 'https' : 'http'}://${HOST.test(host) ? host : 'localhost'}`;
}
