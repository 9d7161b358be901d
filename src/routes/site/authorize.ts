import type { H3Event } from 'h3';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { type AuthorizeForm, renderAuthorize, renderAuthorized } from '../../pages/authorize.ts';
import type { Services } from '../../services/services.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler } from '../route.ts';
import type { Site } from './site.ts';

/** The page where a user grants an app access (see `services/accounts/login-flow.ts`). */
export function createAuthorizePages(
  { loginFlow }: Pick<Services, 'loginFlow'>,
  site: Site,
): Record<'show' | 'submit', Handler> {
  const form = (
    event: H3Event,
    { name }: User,
    content: Omit<AuthorizeForm, 'base' | 'csrf' | 'name'>,
  ): Promise<Reply> =>
    site.ownPage(event, ({ base }, csrf) => renderAuthorize({ base, csrf, name, ...content }), content.problems);

  return {
    async show(event) {
      const flow = readQuery(event, 'flow') ?? '';
      const { app } = await loginFlow.read(flow); // before the login, so that nobody signs in for a link that does not work
      return site.signedIn((_event, user) => form(event, user, { flow, app }))(event);
    },

    submit: site.submitted(
      async (event, user, fields) => {
        const label = fields.get('label')?.trim() ?? '';
        await loginFlow.grant(fields.get('flow') ?? '', user.id, label);
        return site.page(event, ({ base }) => renderAuthorized(base, label));
      },
      {
        async onRefused(event, user, fields, { code, message }) {
          const flow = fields.get('flow') ?? '';
          const { app } = await loginFlow.read(flow);
          const problems = { [code === 'invalid' ? 'label' : 'form']: message };
          return form(event, user, { flow, app, label: fields.get('label'), problems });
        },
      },
    ),
  };
}
