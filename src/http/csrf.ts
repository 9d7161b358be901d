import { randomBytes } from 'node:crypto';
import type { H3Event } from 'h3';
import { isSameSecret } from '../domain/secret.ts';
import { readCookie } from './input.ts';
import { basePath, type OriginRules, writeCookie } from './origin.ts';

/*
 * Each form carries the value of a cookie: a page of another website can send the form, but can neither read nor set the
 * cookie. Cross-site requests are refused before that (see cross-site.ts); this covers browsers without Sec-Fetch-*.
 */

const COOKIE = 'csrf';
const LIFE = 30 * 86_400;
const TOKEN_BYTES = 18;
const TOKEN = /^[\w-]{24}$/;

interface Csrf {
  /** The token for a form, and the header that sets its cookie. A cookie that the browser already has stays valid. */
  issue(event: H3Event): { token: string; headers: Record<string, string> };
  /** Whether a form contains the token of its cookie. */
  isValid(event: H3Event, fields: ReadonlyMap<string, string>): boolean;
}

export const createCsrf = (origin: OriginRules): Csrf => ({
  issue(event) {
    const token = readToken(event) ?? randomBytes(TOKEN_BYTES).toString('base64url');
    const cookie = { name: COOKIE, value: token, path: basePath(origin) || '/', life: LIFE };
    return { token, headers: { 'set-cookie': writeCookie(event, origin, cookie) } };
  },

  isValid(event, fields) {
    const [sent, known] = [fields.get('csrf'), readToken(event)];
    return sent !== undefined && known !== undefined && isSameSecret(sent, known);
  },
});

/** Accepts only values that this server may have written, because the cookie is sent back unchanged. */
function readToken(event: H3Event): string | undefined {
  const token = readCookie(event, COOKIE) ?? '';
  return TOKEN.test(token) ? token : undefined;
}
