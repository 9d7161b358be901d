import type { Handler, RouteContext } from './route.ts';

/** Requires a login for directory routes if the directory is for members only (`serve --directory members`). */
export const createDirectoryGuard =
  ({ identity, directory }: RouteContext) =>
  (handler: Handler): Handler => {
    if (directory !== 'members') return handler;
    return async (event) => {
      await identity.user(event);
      return { ...(await handler(event)), isPublic: false };
    };
  };
