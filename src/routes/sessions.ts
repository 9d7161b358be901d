import type { H3Event } from 'h3';
import { invalid } from '../domain/errors.ts';
import { readParam } from '../http/input.ts';
import { EMPTY } from '../http/reply.ts';
import { isSelf } from '../services/accounts/accounts.ts';
import type { User } from '../storage/stores.ts';
import type { Handler, RouteContext } from './route.ts';

/** Login and logout (spec 4.1). */
export function createSessionRoutes({ identity }: RouteContext): Record<'login' | 'logout', Handler> {
  /** The user of the cookie. Only login and logout return 400 for that of another user (spec 5 rule 3). */
  const cookieUser = async (event: H3Event): Promise<User | undefined> => {
    const holder = await identity.cookieUser(event);
    if (!holder || isSelf(holder, readParam(event, 'user'))) return holder;
    throw invalid('the cookie belongs to another user; log out that user, or send no cookie');
  };

  return {
    async login(event) {
      const holder = await cookieUser(event);
      await identity.owner(event);
      // Some apps only use the session from the response to their login.
      if (holder) identity.resendCookie(event);
      return EMPTY;
    },

    async logout(event) {
      await cookieUser(event);
      await identity.signOut(event);
      return EMPTY;
    },
  };
}
