import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readQuery } from '../../http/input.ts';
import { readClient } from '../../http/origin.ts';
import type { Reply } from '../../http/reply.ts';
import { hasProblems, type Problems } from '../../pages/parts/form.ts';
import { type RegisterForm, renderRegisterForm, renderRegistrationClosed } from '../../pages/register.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';
import { type FormOptions, readChoices, repeatProblem, type Site, toLocalPath } from './site.ts';

/** The page for creating an account (spec 4.9, legacy paths), which then signs the user in. */
export function createRegisterPages(
  { accounts, registration }: Pick<Services, 'accounts' | 'registration'>,
  { identity, origin }: RouteContext,
  site: Site,
): Record<'show' | 'submit', Handler> {
  const closed = async (event: H3Event): Promise<Reply> =>
    (await identity.siteUser(event)) // someone who registered, and then went back or sent the form twice
      ? site.redirect(event, '/')
      : site.page(event, ({ isNew }) => renderRegistrationClosed(isNew), { status: 403, isPrivate: true });

  const form = (event: H3Event, entered: Omit<RegisterForm, 'csrf' | 'directory'>, options?: FormOptions) =>
    site.form(event, ({ directory }, csrf) => renderRegisterForm({ ...entered, csrf, directory }), options);

  return {
    async show(event) {
      const token = readQuery(event, 'token');
      return (await registration.isOpen(token)) ? form(event, { token }) : closed(event);
    },

    async submit(event) {
      const { fields, stale } = await site.readForm(event);
      const token = fields.get('token');
      const next = toLocalPath(readQuery(event, 'next'));
      if (!(await registration.isOpen(token))) return closed(event);
      const name = fields.get('name')?.trim() ?? '';
      const email = fields.get('email')?.trim() ?? '';
      const password = fields.get('password') ?? '';
      const choices = readChoices(fields);
      const { syncDevices, isPublic } = choices;
      const account = { name, password, ...(email && { email }), syncDevices, isPrivate: !isPublic };
      const again = (problems: Problems, options: FormOptions = { status: 400 }): Promise<Reply> =>
        form(event, { token, name, email, choices, problems }, options);

      if (stale) return again({ form: stale });
      const problems = {
        ...registration.problems(account),
        ...repeatProblem(fields),
      };
      if (hasProblems(problems)) return again(problems);
      try {
        const user = await registration.register(account, token, readClient(event, origin).address);
        await identity.signIn(event, user);
        return site.redirect(event, next);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'forbidden') return closed(event);
        if (error.code === 'conflict') {
          return again({ [(await accounts.findByName(name)) ? 'name' : 'email']: error.message });
        }
        const { message, code, retryAfter } = error;
        if (retryAfter === undefined) return again({ form: message });
        return again({ form: message }, { status: code === 'busy' ? 503 : 429, retryAfter });
      }
    },
  };
}
