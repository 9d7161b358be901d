import type { H3Event } from 'h3';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderAuthorize, renderAuthorized } from '../../pages/authorize.ts';
import type { Problems } from '../../pages/parts/form.ts';
import type { Services } from '../../services/services.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler } from '../route.ts';
import { type Site, statusOf } from './site.ts';

/** The page where a user grants an app access (see `services/accounts/login-flow.ts`). */
export function createAuthorizePages(
  { loginFlow }: Pick<Services, 'loginFlow'>,
  site: Site,
): Record<'show' | 'submit', Handler> {
  const form = async (
    event: H3Event,
    user: User,
    flow: string,
    label?: string,
    problems: Problems = {},
  ): Promise<Reply> => {
    const { app } = await loginFlow.read(flow);
    return site.ownPage(
      event,
      ({ base }, csrf) => renderAuthorize({ base, csrf, flow, name: user.name, app, label, problems }),
      { status: statusOf(problems) },
    );
  };

  const show = site.signedIn((event, user) => form(event, user, flowOf(event)));

  return {
    async show(event) {
      await loginFlow.read(flowOf(event)); // before the login, so that nobody signs in for a link that does not work
      return show(event);
    },

    submit: site.submitted(
      async (event, user, fields) => {
        const label = fields.get('label')?.trim() ?? '';
        await loginFlow.grant(fields.get('flow') ?? '', user.id, label);
        return site.page(event, ({ base }) => renderAuthorized(base, label));
      },
      {
        onRefused(event, user, fields, { code, message }) {
          const problems = { [code === 'invalid' ? 'label' : 'form']: message };
          return form(event, user, fields.get('flow') ?? '', fields.get('label'), problems);
        },
      },
    ),
  };
}

const flowOf = (event: H3Event): string => readQuery(event, 'flow') ?? '';
