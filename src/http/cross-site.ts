import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { isOwnOrigin, type OriginRules } from './origin.ts';

/*
 * A browser adds the user's cookie or saved password to requests that a page of another website triggers. It also names
 * their origin: in Sec-Fetch-Site and Sec-Fetch-Mode or, over plain HTTP, only in Origin. Podcast apps send none of
 * these headers, except those that are built on a browser, such as Cardo.
 */

/** The types that a page may post to any server without a CORS preflight. */
const SIMPLE_TYPES = new Set(['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);
/** Apps of the Nextcloud dialect send it. A page would need a preflight for it, which does not allow it. */
export const APP_HEADER = 'ocs-apirequest';

/**
 * Throws `forbidden` for a change that a page of another website can make a browser send in the user's name: without a
 * preflight, or with the cookie. A web app on another site that sends JSON with its own Basic credentials is allowed.
 */
export function refuseForged(event: H3Event, rules: OriginRules): void {
  const { method, headers } = event.req;
  if (!isCrossSite(event, rules)) return;
  const isScripted = (headers.get('sec-fetch-mode') ?? 'cors') === 'cors';
  const isSimple = method === 'POST' && SIMPLE_TYPES.has(mediaType(headers)) && !headers.has(APP_HEADER);
  const isByCookie = headers.has('cookie') && !headers.has('authorization');
  if (!isScripted || isSimple || isByCookie) throw forged();
}

/**
 * Throws `forbidden` if a page of another website loads a user's data as a script. Only for responses that need a login:
 * public ones may be included anywhere.
 */
export function refuseForeignScript(event: H3Event, rules: OriginRules): void {
  if (event.context.params?.format === 'jsonp' && isCrossSite(event, rules)) throw forged();
}

/**
 * Whether a page of another website caused the request, for example by a link. Another port or host of the same site
 * counts as another website.
 */
export function isCrossSite(event: H3Event, rules: OriginRules): boolean {
  const site = event.req.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = event.req.headers.get('origin');
  return origin !== null && !isOwnOrigin(event, rules, origin);
}

const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

const forged = (): Refusal =>
  new Refusal(
    'forbidden',
    'a page of another website sent this request; if that site is your own server, set --base-url to its address',
  );
