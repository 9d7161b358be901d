import type { H3Event } from 'h3';
import { isSameSecret } from '../domain/secret.ts';
import { isProxied, type OriginRules, readClient } from './origin.ts';

/** The metrics of a server, and who may read them. */
export interface MetricsAccess {
  render(): Promise<string>;
  /** For `Authorization: Bearer`. */
  token?: string | undefined;
  /** Whether a client needs no token because of its address. */
  isAllowed?: ((ip: string) => boolean) | undefined;
}

/** Whether a request may read the metrics. The address of a proxy counts for nothing. */
export function mayReadMetrics(event: H3Event, { token, isAllowed }: MetricsAccess, origin: OriginRules): boolean {
  const [, sent] = /^Bearer +(\S+)$/i.exec(event.req.headers.get('authorization') ?? '') ?? [];
  if (token !== undefined && sent !== undefined && isSameSecret(sent, token)) return true;
  if (!isAllowed || isProxied(event, origin)) return false;
  return isAllowed(readClient(event, origin).ip);
}
