import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readParam } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import type { Problems } from '../../pages/parts/form.ts';
import { renderPasswordForm } from '../../pages/password-link.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';
import { repeatProblem, type Site, statusOf } from './site.ts';

/** The page of the one-time links of `user invite` and `user reset`. */
export function createPasswordLinkPages(
  { passwordLinks, registration }: Pick<Services, 'passwordLinks' | 'registration'>,
  { identity }: RouteContext,
  site: Site,
): Record<'show' | 'submit', Handler> {
  const form = async (event: H3Event, problems: Problems = {}, chosen?: string): Promise<Reply> => {
    const { user, isUnnamed } = await passwordLinks.find(readParam(event, 'token'));
    const name = isUnnamed ? undefined : user.name;
    return site.form(event, (_frame, csrf) => renderPasswordForm({ csrf, name, chosen, problems }), {
      status: statusOf(problems),
    });
  };

  return {
    show: (event) => form(event),

    async submit(event) {
      const { fields, stale } = await site.readForm(event);
      const name = fields.get('name')?.trim();
      const password = fields.get('password') ?? '';
      if (stale) return form(event, { form: stale }, name);
      const { user, isUnnamed } = await passwordLinks.find(readParam(event, 'token'));
      const problems = {
        ...registration.problems({ name: isUnnamed ? (name ?? '') : user.name, password }),
        ...repeatProblem(fields),
      };
      if (Object.keys(problems).length > 0) return form(event, problems, name);
      try {
        const chosen = { password, ...(name !== undefined && { name }) };
        await identity.signIn(event, await passwordLinks.use(readParam(event, 'token'), chosen));
        return site.redirect(event, '/');
      } catch (error) {
        if (error instanceof Refusal && error.code === 'conflict') return form(event, { name: error.message }, name);
        throw error;
      }
    },
  };
}
