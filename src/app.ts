import { H3, type H3Event } from 'h3';
import { type BudgetLimits, FORM_BUDGET, UPLOAD_BUDGET } from './body-limits.ts';
import { type FinishedRequest, createAccessLog } from './http/access-log.ts';
import { createBodyBudget } from './http/body-budget.ts';
import { releaseBody } from './http/body.ts';
import { refuseForged } from './http/cross-site.ts';
import { errorReply, logAbortedReply, toErrorReply } from './http/errors.ts';
import { createIdentity, type Identity, setCookieOf } from './http/identity.ts';
import type { MetricsAccess } from './http/metrics-access.ts';
import { basePath, isProxied, type OriginRules } from './http/origin.ts';
import { type Reply, send } from './http/reply.ts';
import { createResponseBatch } from './http/response-batch.ts';
import type { Options } from './options.ts';
import { createRoutes } from './routes/index.ts';
import { createMetricsRoute } from './routes/metrics.ts';
import { createOperatorRoutes } from './routes/operator/index.ts';
import type { Route, RouteContext } from './routes/route.ts';
import { toErrorPage } from './routes/site/error-page.ts';
import type { Services } from './services/services.ts';
import type { Log } from './storage/stores.ts';

/** `directory` is `public` unless given. */
export interface AppOptions extends OriginRules, Pick<Options, 'maxBody'>, Partial<Pick<Options, 'directory'>> {
  log: Log;
  /** Whether to include the operator's routes, which need no login. */
  operator?: boolean;
  /** Receives each finished request, for an access log and metrics; not those of the operator. */
  onRequest?: (request: FinishedRequest) => void;
  /** Metrics of this server, if they are served. */
  metrics?: MetricsAccess | undefined;
  /** Replaceable in tests. */
  budget?: Partial<BudgetLimits>;
  /** See `RouteContext`. */
  address?: { url?: string };
}

/** The HTTP application: the route table and what applies to every route. It does not listen. */
export function createApp(services: Services, options: AppOptions): H3 {
  const identity = createIdentity(services, options);
  const context = createContext(services, identity, options);
  const app = createEmptyApp(identity, options);
  const respond = createResponder(context, options);
  const routes = createRoutes(services, context);
  if (options.operator) routes.push(...createOperatorRoutes(services, context));
  for (const [pattern, methods] of byPattern(routes)) {
    app.all(pattern, (event) => {
      const format = event.context.params?.format ?? '';
      return respond(event, format, () => dispatch(event, methods, format, options));
    });
  }
  if (options.metrics) {
    const readMetrics = createMetricsRoute(options.metrics, options);
    app.all('/metrics', (event) => respond(event, '', async () => (await readMetrics(event)) ?? unknownAddress('')));
  }
  app.all('/**', (event) => {
    const format = event.url.pathname.split('.').at(-1)!;
    return respond(event, format, () => unknownAddress(format));
  });
  return app;
}

/** An app without routes, with what precedes every request. */
function createEmptyApp(identity: Identity, options: AppOptions): H3 {
  const base = basePath(options);
  const warnOfProxy = createProxyWarning(options);
  const { onRequest, operator = false } = options;
  const logAccess = onRequest && !operator ? createAccessLog(onRequest, identity, options) : undefined;
  const app = new H3({
    silent: true,
    allowMalformedURL: true, // `readParam` refuses a broken escape and explains it
    onRequest(event) {
      warnOfProxy(event);
      logAccess?.(event);
      normalizePath(event, base);
    },
    // Only a bad address, such as an invalid Host header, fails outside a route.
    onError: (_error, event) => send(event, UNREADABLE),
  });
  // If h3 has to normalize such an address, it throws instead of calling `onError`: uncaught, that would end the process.
  const { fetch } = app;
  app.fetch = (request) => {
    try {
      return fetch(request);
    } catch {
      return send({ req: request as H3Event['req'] }, UNREADABLE);
    }
  };
  return app;
}

const UNREADABLE = errorReply(400, 'the Host header and path of this request are not a valid address', '');

type Respond = (event: H3Event, format: string, handle: () => Reply | Promise<Reply>) => Promise<Response>;

/** Sends the reply of a handler, or an error response if it throws. */
function createResponder(context: RouteContext, options: AppOptions): Respond {
  const ready = createResponseBatch();
  const onAbort = (error: unknown): void => logAbortedReply(error, options);
  const finish = (event: H3Event, reply: Reply): Promise<Response> => {
    releaseBody(event);
    return send(event, toErrorPage(event, reply, context), { cookie: setCookieOf(event), onAbort });
  };
  return async (event, format, handle) => {
    try {
      const reply = await handle();
      await ready();
      // Awaited here, so that a stream that fails before its first byte becomes an error response.
      return await finish(event, reply);
    } catch (error) {
      return finish(event, toErrorReply(error, format, options));
    }
  };
}

function createContext({ bodyParser: parser }: Services, identity: Identity, options: AppOptions): RouteContext {
  const { maxBody, directory = 'public', address = {} } = options;
  const budget = createBodyBudget({ ...UPLOAD_BUDGET, ...options.budget });
  return {
    identity,
    maxBody,
    bodyOptions: (sender) => ({ limit: maxBody, parser, budget, sender }),
    formBudget: createBodyBudget({ ...FORM_BUDGET, ...options.budget }),
    origin: options,
    directory,
    address,
  };
}

const unknownAddress = (format: string): Reply => errorReply(404, 'there is nothing at this address', format);

/** The routes of each path, by method. HEAD works wherever GET does. */
function byPattern(routes: readonly Route[]): Map<string, Map<string, Route>> {
  const patterns = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const [method, path, formats] = route;
    // The format follows the last dot: names may contain dots, too.
    const pattern = formats.length > 0 ? `${path}.:format([^.]+)` : path;
    const methods = patterns.get(pattern) ?? new Map<string, Route>();
    patterns.set(pattern, methods.set(method, route));
    if (method === 'GET') methods.set('HEAD', route);
  }
  return patterns;
}

function dispatch(
  event: H3Event,
  methods: ReadonlyMap<string, Route>,
  format: string,
  rules: OriginRules,
): Reply | Promise<Reply> {
  const route = methods.get(event.req.method);
  if (!route) {
    const allow = [...methods.keys(), 'OPTIONS'].join(', ');
    if (event.req.method === 'OPTIONS') return preflight(allow);
    return errorReply(405, `this address accepts ${allow}`, format, { allow });
  }
  const [method, , formats, handler, isChange = method !== 'GET'] = route;
  if (isChange) refuseForged(event, rules);
  if (formats.length > 0 && !formats.includes(format)) {
    return errorReply(400, `this address is available only as ${formats.join(', ')}`, format);
  }
  return handler(event);
}

const preflight = (allow: string): Reply => ({
  status: 204,
  headers: {
    allow,
    'access-control-allow-methods': allow,
    'access-control-allow-headers': 'authorization, content-type, content-encoding',
    'access-control-max-age': '86400',
  },
});

/** Warns once if a proxy that is not trusted seems to forward requests. */
function createProxyWarning(options: AppOptions): (event: H3Event) => void {
  let isDone = false;
  return (event) => {
    if (isDone || !isProxied(event, options)) return;
    isDone = true;
    options.log(
      'warn',
      'requests arrive through a proxy that is not trusted, so too many wrong passwords from one client block all new logins; let the proxy set X-Forwarded-For, and start podsync with --trust-proxy (PODSYNC_TRUST_PROXY=true)',
    );
  };
}

/** Merges repeated slashes (Kasts sends them) and strips the base path if the proxy did not. */
function normalizePath(event: H3Event, base: string): void {
  const path = event.url.pathname;
  let normalized = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  if (base && `${normalized}/`.startsWith(`${base}/`)) normalized = normalized.slice(base.length);
  if (normalized !== path) event.url.pathname = normalized;
}
