import { randomBytes } from 'node:crypto';
import type { H3Event } from 'h3';
import { digestOf, isSameSecret } from '../domain/secret.ts';
import type { UserId } from '../domain/types.ts';
import { readCookie } from './input.ts';
import { basePath, type OriginRules, writeCookie } from './origin.ts';

/*
 * Each form carries the value of a cookie: a page of another website can send the form, but can neither read nor set the
 * cookie. Cross-site requests are refused before that (see cross-site.ts); this covers browsers without Sec-Fetch-*.
 * The form of a signed-in user also names the user: somebody else may have signed in meanwhile, in another tab. It carries
 * a digest, because the id itself is a secret: see `password-links.ts`.
 */

const COOKIE = 'csrf';
const LIFE = 30 * 86_400;
const TOKEN_BYTES = 18;
const TOKEN = /^[\w-]{24}$/;

interface Csrf {
  /** The token for a form, and the header that sets its cookie. A cookie that the browser already has stays valid. */
  issue(event: H3Event, user?: UserId): { token: string; headers: Record<string, string> };
  /** Why the token of a form is not accepted; undefined if it is. */
  problem(event: H3Event, fields: ReadonlyMap<string, string>, user?: UserId): string | undefined;
}

export const createCsrf = (origin: OriginRules): Csrf => ({
  issue(event, user) {
    const value = readToken(event) ?? randomBytes(TOKEN_BYTES).toString('base64url');
    const cookie = { name: COOKIE, value, path: basePath(origin) || '/', life: LIFE };
    const token = user === undefined ? value : `${value}.${digestOf(user)}`;
    return { token, headers: { 'set-cookie': writeCookie(event, origin, cookie) } };
  },

  problem(event, fields, user) {
    const known = readToken(event);
    const own = user && digestOf(user);
    const [sent = '', owner] = fields.get('csrf')?.split('.') ?? []; // the form of a visitor names no user
    // A signed-in browser has sent the cookie of its session, so it accepts cookies.
    if (!known && !user) return 'this form needs a cookie, so allow cookies for this site';
    if (!known || !isSameSecret(sent, known)) return 'this form was too old';
    return owner === own ? undefined : 'another account has signed in since this form was opened';
  },
});

/** Accepts only values that this server may have written, because the cookie is sent back unchanged. */
function readToken(event: H3Event): string | undefined {
  const token = readCookie(event, COOKIE) ?? '';
  return TOKEN.test(token) ? token : undefined;
}
