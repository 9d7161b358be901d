import { setImmediate } from 'node:timers/promises';
import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import type { Seconds } from '../../domain/types.ts';
import { createCsrf } from '../../http/csrf.ts';
import { Form, type FormLimits, readForm } from '../../http/form.ts';
import { publicBase } from '../../http/origin.ts';
import { type Reply, toPublic } from '../../http/reply.ts';
import { Mutex } from '../../mutex.ts';
import { CONTENT_SECURITY_POLICY } from '../../pages/assets.ts';
import type { AccountChoices } from '../../pages/parts/account-choices.ts';
import { hasProblems, type Problems } from '../../pages/parts/form.ts';
import { type Frame, type Page, renderPage } from '../../pages/parts/layout.ts';
import type { Services } from '../../services/services.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler, RouteContext } from '../route.ts';

/** What all pages of the site have in common. */
export interface Site {
  /** A page as a response: public for visitors, private for signed-in users. */
  page(event: H3Event, render: (frame: Frame) => Page, options?: PageOptions): Promise<Reply>;
  /** A page of a signed-in user; `csrf` is the token for its forms. Its status is 400 if they have problems. */
  ownPage(event: H3Event, render: (frame: Frame, csrf: string) => Page, problems?: Problems): Promise<Reply>;
  /** A page with a form that needs no login; `csrf` is the token for it. */
  form(event: H3Event, render: (frame: Frame, csrf: string) => Page, options?: FormOptions): Promise<Reply>;
  /** A page for signed-in users; others are sent to the login page, and back. */
  signedIn(handler: (event: H3Event, user: User) => Reply | Promise<Reply>): Handler;
  /**
   * A form of a signed-in user. `onRefused` shows it again with its values and the problem, if its token is not valid or
   * the handler refuses it, unless it should be sent again later. Without `onRefused`, the response is an error page.
   */
  submitted(handler: FormHandler, options?: FormLimits & { onRefused?: RefusedFormHandler }): Handler;
  /** Redirects to another page after a form was accepted; `path` begins with a slash. */
  redirect(event: H3Event, path: string): Reply;
  /** A form, for pages that need no login. `stale`: the problem, if its token is not valid. */
  readForm(event: H3Event): Promise<{ fields: Form; stale: string | undefined }>;
}

type FormHandler = (event: H3Event, user: User, fields: Form) => Reply | Promise<Reply>;
export type RefusedFormHandler = (event: H3Event, user: User, fields: Form, error: Refusal) => Reply | Promise<Reply>;

interface PageOptions {
  status?: number;
  isPrivate?: boolean;
}

export interface FormOptions {
  status?: number;
  retryAfter?: Seconds | undefined;
}

/** Renders one page in each turn of the event loop, so that many simultaneous pages do not delay apps. */
const mutex = new Mutex();
const nextTurn = (): Promise<void> => mutex.run(() => setImmediate());

/** For a form that is shown again, because its token was not valid. */
const toProblem = (reason: string): string => `${reason}; nothing was changed. Send it again`;
/** For a form that was sent without a session. */
export const SIGNED_OUT = 'your session has ended, and nothing was changed. Sign in, and send the form again';

export function createSite(
  { registration }: Pick<Services, 'registration'>,
  { identity, origin, directory, bodyOptions }: RouteContext,
): Site {
  const csrf = createCsrf(origin);

  const frame = async (event: H3Event): Promise<Frame & { headers: Record<string, string> }> => {
    const base = publicBase(event, origin);
    const path = event.url.pathname;
    const user = await identity.siteUser(event);
    if (!user) {
      const [isOpen, isNew] = [await registration.isOpen(undefined), await registration.isNew()];
      return { base, path, directory, isOpen, isNew, headers: {} };
    }
    const { token, headers } = csrf.issue(event, user.id);
    return { base, path, directory, user: { name: user.name, csrf: token }, isOpen: false, isNew: false, headers };
  };

  const redirect = (event: H3Event, path: string): Reply => ({
    status: 303,
    headers: { location: publicBase(event, origin) + path },
  });

  /** Large forms share the memory for uploads of apps. */
  const budgetFor = ({ id }: User): FormLimits => {
    const { budget, sender } = bodyOptions(id);
    return { budget, sender };
  };

  const read = async (event: H3Event, user?: User, limits?: FormLimits) => {
    const fields = await readForm(event, { ...(user && budgetFor(user)), ...limits });
    return { fields, reason: csrf.problem(event, fields, user?.id) };
  };

  /** The page to return to after the login. */
  const returnPathOf = (event: H3Event): string => {
    const { pathname, search } = event.url;
    if (event.req.method === 'GET') return pathname + search;
    // The address of a form may not be a page. Without a Referer, its first segment nearly always is.
    const base = publicBase(event, origin);
    const referer = event.req.headers.get('referer') ?? '';
    return referer.startsWith(`${base}/`) ? referer.slice(base.length) : /^\/[^/]*/.exec(pathname)![0] + search;
  };

  const toSignIn = (event: H3Event): Reply => {
    const unsaved = event.req.method === 'POST' ? '&unsaved=form' : '';
    return redirect(event, `/login?next=${encodeURIComponent(returnPathOf(event))}${unsaved}`);
  };

  const site: Site = {
    redirect,
    async readForm(event) {
      const { fields, reason } = await read(event);
      return { fields, stale: reason && toProblem(reason) };
    },
    async page(event, render, { status = 200, isPrivate = false } = {}) {
      const { headers: cookie, ...around } = await frame(event);
      await nextTurn();
      const reply: Reply = {
        status,
        type: 'text/html; charset=utf-8',
        body: renderPage(around, render(around)),
        headers: { 'content-security-policy': CONTENT_SECURITY_POLICY, vary: 'cookie', ...cookie },
      };
      return around.user || isPrivate ? reply : toPublic(reply);
    },

    ownPage: (event, render, problems) =>
      site.page(event, (around) => render(around, around.user!.csrf), { status: statusOf(problems) }),

    async form(event, render, { status = 200, retryAfter } = {}) {
      const { token, headers } = csrf.issue(event);
      const reply = await site.page(event, (around) => render(around, token), { status, isPrivate: true }); // not cached
      const later = retryAfter !== undefined && { 'retry-after': String(retryAfter) };
      return { ...reply, headers: { ...reply.headers, ...headers, ...later } };
    },

    signedIn: (handler) => async (event) => {
      const user = await identity.siteUser(event);
      if (!user) return toSignIn(event);
      await nextTurn();
      return handler(event, user);
    },

    submitted:
      (handler, { onRefused, ...limits } = {}) =>
      async (event) => {
        const user = await identity.siteUser(event);
        if (!user) return toSignIn(event);
        const { fields, reason } = await read(event, user, limits);
        try {
          if (reason === undefined) return await handler(event, user, fields);
          const goBack = `${reason}; nothing was changed. Go back, reload the page and try again`;
          throw new Refusal('forbidden', onRefused ? toProblem(reason) : goBack);
        } catch (error) {
          if (!onRefused || !(error instanceof Refusal) || error.retryAfter !== undefined) throw error;
          return onRefused(event, user, fields, error);
        }
      },
  };
  return site;
}

/** The problem of a form with one field that was refused: of the field, or of the form if its token is not valid. */
export const problemOf = ({ code, message }: Refusal, field: string): Problems => ({
  [code === 'forbidden' ? 'form' : field]: message,
});

/** The problem of a form that was sent without its confirmation; browsers ask for it themselves. */
export const UNCONFIRMED: Problems = { form: 'nothing was changed: check the box to confirm' };

/** The status of a page with a form. */
export const statusOf = (problems: Problems | undefined): number => (hasProblems(problems) ? 400 : 200);

/** The problem of a form whose two new passwords differ. */
export const repeatProblem = (fields: Form): Problems =>
  (fields.get('password') ?? '') === fields.get('again') ? {} : { again: 'the two passwords differ' };

/** The check boxes of `renderAccountChoices`. */
export const readChoices = (fields: Form): AccountChoices => ({
  syncDevices: fields.has('sync_devices'),
  isPublic: fields.has('public'),
});

/**
 * The path if it is on this site, otherwise `/`: anything else could send the visitor to another site. Characters that a
 * header cannot contain are percent-encoded in every address of this site.
 */
export const toLocalPath = (path = '/'): string => (/^\/(?![/\\])[!-[\]-~]*$/.test(path) ? path : '/');
