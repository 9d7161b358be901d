import type { H3Event } from 'h3';
import { isSignedOut } from '../../http/identity.ts';
import { publicBase } from '../../http/origin.ts';
import type { Reply } from '../../http/reply.ts';
import { CONTENT_SECURITY_POLICY } from '../../pages/assets.ts';
import { renderError } from '../../pages/error.ts';
import { renderPage } from '../../pages/parts/layout.ts';
import type { RouteContext } from '../route.ts';

/**
 * Turns an error response for a browser into a page, without authenticating the user: the storage may have failed.
 * Returns any other response unchanged.
 */
export function toErrorPage(event: H3Event, reply: Reply, { origin, directory }: RouteContext): Reply {
  if (reply.error === undefined || !prefersHtml(event)) return reply;
  const base = publicBase(event, origin);
  const { status = 500, error: message } = reply;
  const frame = { base, path: event.url.pathname, directory, isUserUnknown: true, isOpen: false, isNew: false };
  return {
    ...reply,
    type: 'text/html; charset=utf-8',
    body: renderPage(frame, renderError({ base, status, message, next: nextOf(event, status) })),
    headers: { ...reply.headers, 'content-security-policy': CONTENT_SECURITY_POLICY },
  };
}

/** The page to return to after a login, if that may help: a private page must look the same as one that does not exist. */
function nextOf(event: H3Event, status: number): string | undefined {
  const { pathname, search } = event.url;
  const isPage = event.req.method === 'GET';
  if (status === 401) return isPage ? pathname + search : '/';
  return status === 404 && isPage && isSignedOut(event) ? pathname + search : undefined;
}

/** Browsers list HTML first when they request a page; apps do not. */
const prefersHtml = (event: H3Event): boolean => /^\s*text\/html\b/i.test(event.req.headers.get('accept') ?? '');
