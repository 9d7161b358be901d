import { hash, timingSafeEqual } from 'node:crypto';
import type { BlockList } from 'node:net';
import type { H3Event } from 'h3';
import { isProxied, type OriginRules, readIp } from '../http/origin.ts';
import type { Reply } from '../http/reply.ts';

/** The metrics of a server, and who may read them. */
export interface MetricsAccess {
  render(): Promise<string>;
  /** For `Authorization: Bearer`. */
  token?: string | undefined;
  /** Networks that need no token. */
  networks?: BlockList | undefined;
}

/** Metrics for Prometheus. Undefined for a request that may not read them: it must not learn that they exist. */
export function createMetricsRoute(
  { render, token, networks }: MetricsAccess,
  origin: OriginRules,
): (event: H3Event) => Promise<Reply | undefined> {
  const isPermitted = (event: H3Event): boolean => {
    const [, sent] = /^Bearer +(\S+)$/i.exec(event.req.headers.get('authorization') ?? '') ?? [];
    if (token !== undefined && sent !== undefined && isEqual(sent, token)) return true;
    if (!networks || isProxied(event, origin)) return false; // it is the address of the proxy
    const ip = readIp(event, origin);
    return ip !== '' && networks.check(ip, ip.includes(':') ? 'ipv6' : 'ipv4');
  };
  return async (event) => {
    if (!['GET', 'HEAD'].includes(event.req.method) || !isPermitted(event)) return undefined;
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body: await render() };
  };
}

const isEqual = (sent: string, token: string): boolean =>
  timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'));
