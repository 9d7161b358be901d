import type { H3Event } from 'h3';
import type { Identity } from './identity.ts';
import { type OriginRules, readClient } from './origin.ts';

/** A finished request: answered, or aborted by the client. */
export interface FinishedRequest {
  method: string;
  /** Without the query and other secrets. */
  path: string;
  /** Its pattern in the route table, such as `/subscriptions/:user.:format`; undefined for an unknown address. */
  route: string | undefined;
  /** Undefined if the client disconnected before the response. */
  status: number | undefined;
  /** Milliseconds from the head of the request to the end of the response. */
  duration: number;
  /** Sent to the client, with headers. Too high if the client sends its next request before the response. */
  bytes: number;
  /** Name of the account; undefined without a login. */
  user: string | undefined;
  /** IP address of the client; empty over a Unix socket. */
  ip: string;
}

/** Reports each request when its response has ended. Requests within the process are not reported. */
export function createAccessLog(
  report: (request: FinishedRequest) => void,
  identity: Pick<Identity, 'knownUser'>,
  origin: OriginRules,
): (event: H3Event) => void {
  return (event) => {
    const { res } = event.runtime?.node ?? {};
    if (!res) return;
    const { socket } = res.req;
    const [startedAt, sentBefore, ip] = [performance.now(), socket.bytesWritten, readClient(event, origin).ip];
    res.once('close', () =>
      report({
        method: event.req.method,
        path: redactPath(event.url.pathname),
        route: routeOf(event),
        status: res.headersSent ? res.statusCode : undefined,
        duration: Math.round(performance.now() - startedAt),
        bytes: socket.bytesWritten - sentBefore,
        user: identity.knownUser(event)?.name,
        ip,
      }),
    );
  };
}

/** Without the expression of a parameter. */
function routeOf(event: H3Event): string | undefined {
  const pattern = event.context.matchedRoute?.route;
  return pattern === '/**' ? undefined : pattern?.replace(/\(.*\)$/, '');
}

/** Hides the token in the path of a link with which a person chooses a password. */
export const redactPath = (path: string): string => path.replace(/(\/welcome\/)[^/]+/i, '$1***');
