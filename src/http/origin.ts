import { isIPv4 } from 'node:net';
import type { H3Event } from 'h3';
import ipaddr from 'ipaddr.js';
import type { Seconds } from '../domain/types.ts';
import type { Options } from '../options.ts';
import type { Client } from '../services/accounts/throttle.ts';

/** How this server is reached from outside. */
export type OriginRules = Pick<Options, 'baseUrl' | 'trustProxy'>;

/** The entry of the nearest proxy, which is the last one: the client may have sent the earlier ones. */
function forwarded(event: H3Event, name: string): string | undefined {
  return event.req.headers.get(`x-forwarded-${name}`)?.split(',').at(-1)?.trim() || undefined;
}

/** Key in the context of a request. */
const CLIENT = 'podsyncClient';

/** Where a request comes from: parsed once, as it is needed several times. */
export const readClient = (event: H3Event, rules: OriginRules): Client =>
  (event.context[CLIENT] ??= toClient(event, rules)) as Client;

function toClient(event: H3Event, rules: OriginRules): Client {
  const sent = readAddress(event, rules);
  const isShared = isProxied(event, rules);
  if (isIPv4(sent)) return { ip: sent, address: sent, isShared }; // quickly, as most clients have one
  const ip = parseIp(sent);
  return { ip: ip?.toString() ?? '', address: ip ? toNetwork(ip) : sent, isShared };
}

const readAddress = (event: H3Event, { trustProxy }: OriginRules): string =>
  (trustProxy ? forwarded(event, 'for') : undefined) ?? event.req.ip ?? '';

/** Whether a proxy that is not trusted, on this machine or on a private network, has forwarded the request. */
export function isProxied(event: H3Event, { trustProxy }: OriginRules): boolean {
  const { headers, ip } = event.req;
  const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded');
  return !trustProxy && isForwarded && parseIp(ip ?? '')?.range() !== 'unicast';
}

type Ip = ReturnType<typeof ipaddr.process>;

/** Without the port that some proxies add; IPv4 that is written as IPv6 becomes IPv4. */
function parseIp(address: string): Ip | undefined {
  if (address === '') return undefined; // quickly, as every request over a Unix socket has none
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}

/** For IPv6, the /64: every customer has a whole one. */
function toNetwork(ip: Ip): string {
  const text = ip.toNormalizedString();
  return ip.kind() === 'ipv6' ? `${text.split(':', 4).join(':')}::/64` : text;
}

/** Whether the client seems to have connected over TLS. */
function isSecure(event: H3Event, { baseUrl, trustProxy }: OriginRules): boolean {
  if (baseUrl !== undefined) return baseUrl.startsWith('https:');
  const scheme = trustProxy ? forwarded(event, 'proto') : undefined;
  return (scheme ?? event.url.protocol.replace(':', '')).toLowerCase() === 'https';
}

interface Cookie {
  name: string;
  value: string;
  path: string;
  life: Seconds;
}

/**
 * A `Set-Cookie` that scripts cannot read and, if the client connected over TLS, is sent only over TLS. Browsers send the
 * cookie when the visitor follows a link on another site: without it, that page would set another CSRF token, and forms
 * that are already open would be refused.
 */
export function writeCookie(event: H3Event, rules: OriginRules, { name, value, path, life }: Cookie): string {
  const secure = isSecure(event, rules) ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`;
}

/** The path below which everything is served, without a trailing slash; empty at the root. */
export const basePath = ({ baseUrl }: OriginRules): string =>
  baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');

const sentTo = (event: H3Event): string => event.req.headers.get('host') ?? event.url.host;

/**
 * Whether a page with this `Origin` belongs to this server: its host is that of the request or of `publicBase`. Compares
 * only hosts and ports, because the scheme is not known behind every proxy.
 */
export function isOwnOrigin(event: H3Event, rules: OriginRules, origin: string): boolean {
  const host = hostOf(origin);
  return host !== '' && [sentTo(event), hostOf(publicBase(event, rules))].includes(host);
}

/** Empty if there is none, as for `null`, which a page sends that hides its origin. */
const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : '');

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The public address of this server, without a trailing slash: the beginning of links, `Location` and the like. Without
 * a base URL it is the address that the request was sent to; always a valid URL.
 */
export function publicBase(event: H3Event, rules: OriginRules): string {
  if (rules.baseUrl !== undefined) return rules.baseUrl;
  const host = (rules.trustProxy ? forwarded(event, 'host') : undefined) ?? sentTo(event);
  const scheme = isSecure(event, rules) ? 'https' : 'http';
  const address = `${scheme}://${host}`;
  return HOST.test(host) && URL.canParse(address) ? address : `${scheme}://localhost`;
}
