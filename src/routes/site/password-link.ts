import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { readParam } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import type { AccountChoices } from '../../pages/parts/account-choices.ts';
import { hasProblems, type Problems } from '../../pages/parts/form.ts';
import { renderPasswordForm } from '../../pages/password-link.ts';
import type { Services } from '../../services/services.ts';
import { ACCOUNT } from '../../services/sync/settings.ts';
import type { Handler, RouteContext } from '../route.ts';
import { readChoices, repeatProblem, type Site, statusOf } from './site.ts';

/** The page of the one-time links of `user invite` and `user reset`. */
export function createPasswordLinkPages(
  { passwordLinks, registration, settings }: Pick<Services, 'passwordLinks' | 'registration' | 'settings'>,
  { identity }: RouteContext,
  site: Site,
): Record<'show' | 'submit', Handler> {
  const form = async (
    event: H3Event,
    entered: { chosen?: string | undefined; choices?: AccountChoices; problems?: Problems } = {},
  ): Promise<Reply> => {
    const { user, isInvited, isUnnamed } = await passwordLinks.find(readParam(event, 'token'));
    const name = isUnnamed ? undefined : user.name;
    return site.form(
      event,
      ({ directory }, csrf) => renderPasswordForm({ csrf, directory, name, isInvited, ...entered }),
      { status: statusOf(entered.problems) },
    );
  };

  return {
    show: (event) => form(event),

    async submit(event) {
      const { fields, stale } = await site.readForm(event);
      const name = fields.get('name')?.trim();
      const password = fields.get('password') ?? '';
      const choices = readChoices(fields);
      const again = (problems: Problems): Promise<Reply> => form(event, { chosen: name, choices, problems });
      if (stale) return again({ form: stale });
      const { user, isInvited, isUnnamed } = await passwordLinks.find(readParam(event, 'token'));
      const problems = {
        ...registration.problems({ name: isUnnamed ? (name ?? '') : user.name, password }),
        ...repeatProblem(fields),
      };
      if (hasProblems(problems)) return again(problems);
      // First, because the password makes the link useless.
      if (isInvited) {
        const set = { sync_devices: choices.syncDevices, public_subscriptions: choices.isPublic };
        await settings.update(user.id, ACCOUNT, { set, remove: [] });
      }
      try {
        const chosen = { password, ...(name !== undefined && { name }) };
        await identity.signIn(event, await passwordLinks.use(readParam(event, 'token'), chosen));
        return site.redirect(event, '/');
      } catch (error) {
        if (error instanceof Refusal && error.code === 'conflict') return again({ name: error.message });
        throw error;
      }
    },
  };
}
