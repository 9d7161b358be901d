import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderLogin } from '../../pages/login.ts';
import type { Problems } from '../../pages/parts/form.ts';
import type { Handler, RouteContext } from '../route.ts';
import { type FormOptions, SIGNED_OUT, type Site, toLocalPath } from './site.ts';

/** Signing in and out in a browser: with the same sessions and limits on wrong passwords as for apps. */
export function createLoginPages(
  { identity }: RouteContext,
  site: Site,
): Record<'show' | 'submit' | 'signOut', Handler> {
  const form = (
    event: H3Event,
    entered: { next: string; name?: string; problems?: Problems },
    options?: FormOptions,
  ): Promise<Reply> =>
    site.form(
      event,
      ({ base, isOpen, isNew }, csrf) => renderLogin({ base, isOpen, isNew, csrf, ...entered }),
      options,
    );

  const signOut = site.submitted(async (event) => {
    await identity.signOut(event);
    return site.redirect(event, '/');
  });

  return {
    async show(event) {
      const next = toLocalPath(readQuery(event, 'next'));
      if (await identity.siteUser(event)) return site.redirect(event, next);
      const isUnsaved = readQuery(event, 'unsaved') === 'form';
      return form(event, { next, ...(isUnsaved && { problems: { form: SIGNED_OUT } }) });
    },

    async submit(event): Promise<Reply> {
      const { fields, stale } = await site.readForm(event);
      const next = toLocalPath(fields.get('next'));
      const name = fields.get('name')?.trim() ?? '';
      const password = fields.get('password') ?? '';
      const again = (problems: Problems, options: FormOptions = { status: 400 }): Promise<Reply> =>
        form(event, { next, name, problems }, options);
      if (stale) return again({ form: stale });
      if (name === '') return again({ name: 'enter your user name' });
      if (password === '') return again({ password: 'enter your password' });
      try {
        await identity.signIn(event, await identity.authenticate(event, name, password));
        return site.redirect(event, next);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const status = { throttled: 429, busy: 503 }[error.code as string] ?? 403;
        return again({ form: error.message }, { status, retryAfter: error.retryAfter });
      }
    },

    async signOut(event) {
      const isSignedIn = (await identity.siteUser(event)) !== undefined;
      return isSignedIn ? signOut(event) : site.redirect(event, '/');
    },
  };
}
