import { setImmediate } from 'node:timers/promises';
import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { createCsrf } from '../../http/csrf.ts';
import { Form, type FormLimits, readForm } from '../../http/form.ts';
import { publicBase } from '../../http/origin.ts';
import { type Reply, toPublic } from '../../http/reply.ts';
import { CONTENT_SECURITY_POLICY } from '../../pages/assets.ts';
import { type Frame, type Page, renderPage } from '../../pages/layout.ts';
import type { Services } from '../../services/services.ts';
import type { User } from '../../storage/stores.ts';
import { Turns } from '../../turns.ts';
import type { Handler, RouteContext } from '../route.ts';

/** What all pages of the site have in common. */
export interface Site {
  /** What `page` shows around a page: who is signed in is found out once. */
  frame(event: H3Event): Promise<Frame>;
  /** A page as an answer: for everybody where nobody is signed in, else private. */
  page(event: H3Event, render: (frame: Frame) => Page, options?: PageOptions): Promise<Reply>;
  /** A page for whoever is signed in; others sign in first, and come back. */
  signedIn(handler: (event: H3Event, user: User) => Reply | Promise<Reply>): Handler;
  /**
   * A form that somebody who is signed in has sent. One without the right token goes to `onStale`, which shows it again
   * with what was typed; where there was nothing to type it is a 403.
   */
  submitted(handler: FormHandler, options?: Partial<FormLimits> & { onStale?: FormHandler }): Handler;
  /** Goes on to another page after a form was accepted; `path` begins with a slash. */
  redirect(event: H3Event, path: string): Reply;
  /** A form with its token checked, for pages that need nobody to be signed in. */
  readForm(event: H3Event, limits?: Partial<FormLimits>): Promise<{ fields: Form; isStale: boolean }>;
  /** The token for a form where nobody is signed in, and the header that goes with it. */
  csrf(event: H3Event): { token: string; headers: Record<string, string> };
}

export type FormHandler = (event: H3Event, user: User, fields: Form) => Reply | Promise<Reply>;

interface PageOptions {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** With a form: it carries a token, so it is never kept in a cache. */
  isPrivate?: boolean;
}

/** However many pages are asked for at once: one goes on in each turn of the event loop, so that apps are answered in between. */
const turns = new Turns<'pages'>();
const turn = (): Promise<void> => turns.take('pages', () => setImmediate());

/** Bytes of a form without a file. */
const MAX_FORM = 16 * 1024;
export const STALE = 'this form was too old; nothing was changed, send it again';

export function createSite({ registration }: Pick<Services, 'registration'>, { identity, origin }: RouteContext): Site {
  const csrf = createCsrf(origin);

  const frame = async (event: H3Event): Promise<Frame & { headers: Record<string, string> }> => {
    const base = publicBase(event, origin);
    const path = event.url.pathname;
    const user = await identity.visitor(event);
    if (!user) return { base, path, isOpen: await registration.isOpen(undefined), headers: {} };
    const { token, headers } = csrf.issue(event);
    return { base, path, visitor: { name: user.name, csrf: token }, isOpen: false, headers };
  };

  const redirect = (event: H3Event, path: string): Reply => ({
    status: 303,
    headers: { location: publicBase(event, origin) + path },
  });

  const read: Site['readForm'] = async (event, limits) => {
    const fields = await readForm(event, { limit: MAX_FORM, ...limits });
    return { fields, isStale: !csrf.isValid(event, fields) };
  };

  const toSignIn = (event: H3Event): Reply => {
    // A form may have been sent to an address that is no page; the first segment always is one.
    const isPage = event.req.method === 'GET';
    const next = isPage ? event.url.pathname + event.url.search : /^\/[^/]*/.exec(event.url.pathname)![0];
    return redirect(event, `/login?next=${encodeURIComponent(next)}`);
  };

  return {
    frame,
    redirect,
    readForm: read,
    csrf: (event) => csrf.issue(event),

    async page(event, render, { status = 200, headers = {}, isPrivate = false } = {}) {
      const { headers: cookie, ...around } = await frame(event);
      await turn();
      const reply: Reply = {
        status,
        type: 'text/html; charset=utf-8',
        body: renderPage(around, render(around)),
        headers: { 'content-security-policy': CONTENT_SECURITY_POLICY, vary: 'cookie', ...cookie, ...headers },
      };
      return around.visitor || isPrivate ? reply : toPublic(reply);
    },

    signedIn: (handler) => async (event) => {
      const user = await identity.visitor(event);
      if (!user) return toSignIn(event);
      await turn();
      return handler(event, user);
    },

    submitted:
      (handler, { onStale, ...limits } = {}) =>
      async (event) => {
        const user = await identity.visitor(event);
        if (!user) return toSignIn(event);
        const { fields, isStale } = await read(event, limits);
        if (!isStale) return handler(event, user, fields);
        if (!onStale) throw new Refusal('forbidden', STALE);
        return onStale(event, user, fields);
      },
  };
}

/** A path of this site; anything else would send the visitor elsewhere. */
export const toLocalPath = (path = '/'): string => (/^\/(?![/\\])[^\\\s]*$/.test(path) ? path : '/');
