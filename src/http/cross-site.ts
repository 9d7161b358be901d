import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { isOwnOrigin, type OriginRules } from './origin.ts';

/*
 * A browser adds the user's cookie or remembered password to requests that a page of another website makes it send. It
 * also says where they come from: in Sec-Fetch-Site and Sec-Fetch-Mode, or, over plain HTTP, in Origin alone. Podcast
 * apps send none of these headers.
 */

/** What a page may post to any server without a CORS preflight. */
const SIMPLE_TYPES = new Set(['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws `forbidden` for a state change that a page of another website can make a browser send in the user's name:
 * without a preflight, or by the cookie. A web app elsewhere that sends JSON and its own Basic credentials may.
 */
export function refuseForged(event: H3Event, rules: OriginRules): void {
  const { method, headers } = event.req;
  if (SAFE_METHODS.has(method) || !isCrossSite(event, rules)) return;
  const isScripted = (headers.get('sec-fetch-mode') ?? 'cors') === 'cors';
  const isSimple = method === 'POST' && SIMPLE_TYPES.has(mediaType(headers));
  const isByCookie = headers.has('cookie') && !headers.has('authorization');
  if (!isScripted || isSimple || isByCookie) throw forged();
}

/**
 * Throws `forbidden` where a page of another website reads somebody's data as a script. Only for answers that need a
 * login: public ones are there to be included.
 */
export function refuseForeignScript(event: H3Event, rules: OriginRules): void {
  if (event.context.params?.format === 'jsonp' && isCrossSite(event, rules)) throw forged();
}

/** Another port or host of the same site counts as another website. */
function isCrossSite(event: H3Event, rules: OriginRules): boolean {
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
    'a page of another website sent this request; if it is your own server, set --base-url to its address',
  );
