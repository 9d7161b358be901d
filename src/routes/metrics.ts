import type { H3Event } from 'h3';
import { type MetricsAccess, mayReadMetrics } from '../http/metrics-access.ts';
import type { OriginRules } from '../http/origin.ts';
import type { Reply } from '../http/reply.ts';

/** Metrics for Prometheus. Undefined for a request that may not read them: it must not learn that they exist. */
export const createMetricsRoute =
  (access: MetricsAccess, origin: OriginRules) =>
  async (event: H3Event): Promise<Reply | undefined> => {
    if (!['GET', 'HEAD'].includes(event.req.method) || !mayReadMetrics(event, access, origin)) return undefined;
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body: await access.render() };
  };
