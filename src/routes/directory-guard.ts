import type { Handler, RouteContext } from './route.ts';

/** How the directory is answered: to everybody, or to those alone who are logged in (`serve --directory members`). */
export const createDirectoryGuard =
  ({ identity, directory }: Pick<RouteContext, 'identity' | 'directory'>) =>
  (handler: Handler): Handler => {
    if (directory !== 'members') return handler;
    return async (event) => {
      await identity.user(event);
      return { ...(await handler(event)), isPublic: false };
    };
  };
