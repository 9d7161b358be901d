import type { BlockList } from 'node:net';
import type { H3Event } from 'h3';
import { isSameSecret } from '../domain/secret.ts';
import { isProxied, type OriginRules, readClient } from '../http/origin.ts';
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
export const createMetricsRoute =
  (access: MetricsAccess, origin: OriginRules) =>
  async (event: H3Event): Promise<Reply | undefined> => {
    if (!['GET', 'HEAD'].includes(event.req.method) || !mayRead(event, access, origin)) return undefined;
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body: await access.render() };
  };

/** The address of a proxy counts for nothing. */
function mayRead(event: H3Event, { token, networks }: MetricsAccess, origin: OriginRules): boolean {
  const [, sent] = /^Bearer +(\S+)$/i.exec(event.req.headers.get('authorization') ?? '') ?? [];
  if (token !== undefined && sent !== undefined && isSameSecret(sent, token)) return true;
  if (!networks || isProxied(event, origin)) return false;
  const { ip } = readClient(event, origin);
  return ip !== '' && networks.check(ip, ip.includes(':') ? 'ipv6' : 'ipv4');
}
