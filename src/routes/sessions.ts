import type { H3Event } from 'h3';
import { invalid } from '../domain/errors.ts';
import { readParam } from '../http/input.ts';
import { EMPTY } from '../http/reply.ts';
import { isSelf } from '../services/accounts/accounts.ts';
import type { Handler, RouteContext } from './route.ts';

/** Login and logout (spec 4.1). */
export function createSessionRoutes({ identity }: RouteContext): Record<'login' | 'logout', Handler> {
  /** Only login and logout return 400 for the cookie of another user (spec 5 rule 3). */
  const refuseForeignCookie = async (event: H3Event): Promise<void> => {
    const holder = await identity.cookieUser(event);
    if (holder && !isSelf(holder, readParam(event, 'user'))) {
      throw invalid('the cookie belongs to another user; log out that user, or send no cookie');
    }
  };

  return {
    async login(event) {
      await refuseForeignCookie(event);
      await identity.owner(event);
      await identity.resendCookie(event); // some apps only use the session from the response to their login
      return EMPTY;
    },

    async logout(event) {
      await refuseForeignCookie(event);
      await identity.signOut(event);
      return EMPTY;
    },
  };
}
