import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderLogin } from '../../pages/login.ts';
import type { Problems } from '../../pages/parts/form.ts';
import type { Handler, RouteContext } from '../route.ts';
import { type Site, STALE, toLocalPath } from './site.ts';

/** Signing in and out in a browser: with the same sessions and limits on wrong passwords as for apps. */
export function createLoginRoutes(
  { identity }: RouteContext,
  site: Site,
): Record<'show' | 'submit' | 'signOut', Handler> {
  const form = (
    event: H3Event,
    next: string,
    name?: string,
    problems?: Problems,
    status = 200,
    retryAfter?: number,
  ) => {
    const { token: csrf, headers } = site.csrf(event);
    return site.page(
      event,
      ({ base, isOpen }) =>
        renderLogin({ base, isOpen, csrf, next, ...(name && { name }), ...(problems && { problems }) }),
      {
        status,
        headers: { ...headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) },
        isPrivate: true,
      },
    );
  };

  return {
    async show(event) {
      const next = toLocalPath(readQuery(event, 'next'));
      if (await identity.visitor(event)) return site.redirect(event, next);
      return form(event, next);
    },

    async submit(event): Promise<Reply> {
      const { fields, isStale } = await site.readForm(event);
      const next = toLocalPath(fields.get('next'));
      const name = fields.get('name')?.trim() ?? '';
      const password = fields.get('password') ?? '';
      if (isStale) return form(event, next, name, { form: STALE }, 400);
      if (name === '') return form(event, next, name, { name: 'enter your user name' }, 400);
      if (password === '') return form(event, next, name, { password: 'enter your password' }, 400);
      try {
        await identity.signIn(event, await identity.checkPassword(event, name, password));
        return site.redirect(event, next);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const status = { throttled: 429, busy: 503 }[error.code as string] ?? 403;
        return form(event, next, name, { form: error.message }, status, error.retryAfter);
      }
    },

    async signOut(event) {
      const { isStale } = await site.readForm(event);
      if (isStale) throw new Refusal('forbidden', STALE);
      await identity.signOut(event);
      return site.redirect(event, '/');
    },
  };
}
