import type { Services } from '../../services/services.ts';
import type { Route, RouteContext } from '../route.ts';
import { createAppPasswordRoutes } from './app-passwords.ts';
import { createBackupRoutes } from './backup.ts';
import { createFeedRoutes } from './feeds.ts';
import { createIntegrityRoutes } from './integrity.ts';
import { createOpmlImportRoute } from './opml-import.ts';
import { createPasswordLinkRoutes } from './password-links.ts';
import { createPullRoute } from './pull.ts';
import { createSubscriptionExportRoute } from './subscription-export.ts';
import { createUserRoutes } from './users.ts';

/** Routes for the operator. They need no login, so only the control socket and this process provide them. */
export function createOperatorRoutes(services: Services, context: RouteContext): Route[] {
  const users = createUserRoutes(services, context);
  const appPasswords = createAppPasswordRoutes(services, context);
  const links = createPasswordLinkRoutes(services, context);
  const feeds = createFeedRoutes(services, context);
  const backup = createBackupRoutes(services);
  const integrity = createIntegrityRoutes(services);
  return [
    ['GET', '/operator/users', [], users.list],
    ['POST', '/operator/users', [], users.add],
    ['GET', '/operator/users/:user', [], users.show],
    ['DELETE', '/operator/users/:user', [], users.remove],
    ['PUT', '/operator/users/:user/name', [], users.rename],
    ['PUT', '/operator/users/:user/password', [], users.setPassword],
    ['GET', '/operator/users/:user/sessions', [], users.sessions],
    ['DELETE', '/operator/users/:user/sessions', [], users.endSessions],
    ['GET', '/operator/users/:user/app-passwords', [], appPasswords.list],
    ['POST', '/operator/users/:user/app-passwords', [], appPasswords.add],
    ['DELETE', '/operator/users/:user/app-passwords/:id', [], appPasswords.revoke],
    ['POST', '/operator/invitations', [], links.invite],
    ['POST', '/operator/users/:user/reset', [], links.reset],
    ['POST', '/operator/users/:user/opml', [], createOpmlImportRoute(services, context)],
    ['POST', '/operator/users/:user/pull', [], createPullRoute(services)],
    ['GET', '/operator/users/:user/subscriptions', [], createSubscriptionExportRoute(services)],
    ['GET', '/operator/feeds', [], feeds.list],
    ['POST', '/operator/feeds/update', [], feeds.update],
    ['POST', '/operator/toplist/rebuild', [], integrity.rebuildToplist],
    ['GET', '/operator/backup', [], backup.write],
    ['POST', '/operator/backup', [], backup.restore],
    ['POST', '/operator/check', [], integrity.check],
  ];
}
