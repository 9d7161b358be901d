import { readOptionalObject } from '../../http/body.ts';
import { readParam, toStringFields } from '../../http/input.ts';
import { json, type Reply } from '../../http/reply.ts';
import { passwordLinkPage } from '../../pages/parts/links.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';

/** The response of both routes. `path` is relative to `base`, which is null if no server with an address is running. */
export interface PasswordLink {
  name: string;
  base: string | null;
  path: string;
}

/** One-time links for choosing a password. */
export function createPasswordLinkRoutes(
  { administration, passwordLinks }: Pick<Services, 'administration' | 'passwordLinks'>,
  { bodyOptions, origin, address }: RouteContext,
): Record<'invite' | 'reset', Handler> {
  const reply = (name: string, token: string): Reply => {
    const base = origin.baseUrl ?? address.url ?? null;
    return json({ name, base, path: passwordLinkPage('', token) } satisfies PasswordLink);
  };
  return {
    async invite(event) {
      const body = await readOptionalObject(event, bodyOptions('operator'));
      const given = (['name', 'email'] as const).filter((key) => body[key] !== undefined);
      const { name, token } = await passwordLinks.invite(toStringFields(body, ...given));
      return reply(name, token);
    },

    async reset(event) {
      const { name } = await administration.find(readParam(event, 'user'));
      return reply(name, await passwordLinks.reset(name));
    },
  };
}
