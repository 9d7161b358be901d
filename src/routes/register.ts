import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { readForm } from '../http/form.ts';
import { readCookie, readQuery } from '../http/input.ts';
import { basePath, publicBase, readClient, writeCookie } from '../http/origin.ts';
import type { Reply } from '../http/reply.ts';
import {
  type RegisterForm,
  renderRegisterForm,
  renderRegistered,
  renderRegistrationClosed,
} from '../pages/register.ts';
import { FORM_POLICY } from '../pages/style.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';

/** Holds the value that the form must bring back: another site can send the form, but not with this cookie. */
const CSRF = 'csrf';
const CSRF_LIFE = 3600;
const TOKEN_BYTES = 18;
const TOKEN = /^[\w-]{24}$/;
/** Bytes of a form. Anybody can send one. */
const MAX_FORM = 16 * 1024;

const page = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  status,
  type: 'text/html; charset=utf-8',
  body,
  headers: { 'content-security-policy': FORM_POLICY, ...headers },
});

const closed = (): Reply => page(403, renderRegistrationClosed());

/** A page for making an account (spec 4.9, legacy paths). */
export function createRegisterRoutes(
  { registration }: Pick<Services, 'registration'>,
  { origin }: RouteContext,
): Record<'show' | 'submit', Handler> {
  const form = (
    event: H3Event,
    status: number,
    fields: Omit<RegisterForm, 'csrf'>,
    headers: Record<string, string> = {},
  ): Reply => {
    const csrf = readToken(event) ?? randomBytes(TOKEN_BYTES).toString('base64url');
    const path = `${basePath(origin)}/register`;
    const cookie = { name: CSRF, value: csrf, path, life: CSRF_LIFE, sameSite: 'Strict' } as const;
    return page(status, renderRegisterForm({ ...fields, csrf }), {
      ...headers,
      'set-cookie': writeCookie(event, origin, cookie),
    });
  };

  return {
    async show(event) {
      const token = readQuery(event, 'token');
      return (await registration.isOpen(token)) ? form(event, 200, { token }) : closed();
    },

    async submit(event) {
      const fields = await readForm(event, MAX_FORM);
      const token = fields.get('token');
      if (!(await registration.isOpen(token))) return closed();
      const name = fields.get('name')?.trim() ?? '';
      const email = fields.get('email')?.trim() ?? '';
      const password = fields.get('password') ?? '';
      const syncDevices = fields.has('sync_devices');
      const isPublic = fields.has('public');
      const again = (problem: string, status = 400, headers = {}): Reply =>
        form(event, status, { token, name, email, syncDevices, isPublic, problem }, headers);

      if (!isSame(fields.get(CSRF), readToken(event))) return again('the form was too old; send it once more');
      if (password !== fields.get('again')) return again('the two passwords differ');
      try {
        const account = { name, password, ...(email && { email }), syncDevices, isPrivate: !isPublic };
        const user = await registration.register(account, token, readClient(event, origin).address);
        return page(200, renderRegistered(user.name, publicBase(event, origin)));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'forbidden') return closed();
        if (error.retryAfter === undefined) return again(error.message);
        const status = error.code === 'busy' ? 503 : 429;
        return again(error.message, status, { 'retry-after': String(error.retryAfter) });
      }
    },
  };
}

/** The token of the cookie, where it is one that this server may have written: it is sent back as it came. */
function readToken(event: H3Event): string | undefined {
  const token = readCookie(event, CSRF) ?? '';
  return TOKEN.test(token) ? token : undefined;
}

function isSame(sent: string | undefined, known: string | undefined): boolean {
  if (sent === undefined || known === undefined) return false;
  const [a, b] = [Buffer.from(sent), Buffer.from(known)];
  return a.length === b.length && timingSafeEqual(a, b);
}
