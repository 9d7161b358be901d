import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderLogin } from '../../pages/login.ts';
import type { Problems } from '../../pages/parts/form.ts';
import type { Handler, RouteContext } from '../route.ts';
import { SIGNED_OUT, type Site, toLocalPath } from './site.ts';

/** Signing in and out in a browser: with the same sessions and limits on wrong passwords as for apps. */
export function createLoginPages(
  { identity }: RouteContext,
  site: Site,
): Record<'show' | 'submit' | 'signOut', Handler> {
  const form = (
    event: H3Event,
    entered: { next: string; name?: string; problems?: Problems },
    status = 200,
    retryAfter?: number,
  ) => {
    const { token: csrf, headers } = site.csrf(event);
    return site.page(event, ({ base, isOpen, isNew }) => renderLogin({ base, isOpen, isNew, csrf, ...entered }), {
      status,
      headers: { ...headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) },
      isPrivate: true,
    });
  };

  const signOut = site.submitted(async (event) => {
    await identity.signOut(event);
    return site.redirect(event, '/');
  });

  return {
    async show(event) {
      const next = toLocalPath(readQuery(event, 'next'));
      if (await identity.visitor(event)) return site.redirect(event, next);
      const isUnsaved = readQuery(event, 'unsaved') === 'form';
      return form(event, { next, ...(isUnsaved && { problems: { form: SIGNED_OUT } }) });
    },

    async submit(event): Promise<Reply> {
      const { fields, stale } = await site.readForm(event);
      const next = toLocalPath(fields.get('next'));
      const name = fields.get('name')?.trim() ?? '';
      const password = fields.get('password') ?? '';
      const again = (problems: Problems, status = 400, retryAfter?: number): Promise<Reply> =>
        form(event, { next, name, problems }, status, retryAfter);
      if (stale) return again({ form: stale });
      if (name === '') return again({ name: 'enter your user name' });
      if (password === '') return again({ password: 'enter your password' });
      try {
        await identity.signIn(event, await identity.checkPassword(event, name, password));
        return site.redirect(event, next);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const status = { throttled: 429, busy: 503 }[error.code as string] ?? 403;
        return again({ form: error.message }, status, error.retryAfter);
      }
    },

    async signOut(event) {
      const isSignedIn = (await identity.visitor(event)) !== undefined;
      return isSignedIn ? signOut(event) : site.redirect(event, '/');
    },
  };
}
