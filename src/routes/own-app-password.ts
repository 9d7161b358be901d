import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { MEDIA_TYPES } from '../formats/format.ts';
import { XML_DECLARATION } from '../formats/xml.ts';
import { APP_HEADER } from '../http/cross-site.ts';
import { readApp } from '../http/input.ts';
import type { Reply } from '../http/reply.ts';
import { appPasswordId } from '../services/accounts/app-passwords.ts';
import { toAppLabel } from '../services/sync/app-name.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';

/**
 * For apps that ask for a password instead of opening the browser: they exchange it for an app password, and revoke that
 * when the user logs out. Part of the OCS interface of Nextcloud.
 */
export function createOwnAppPasswordRoutes(
  { appPasswords }: Pick<Services, 'appPasswords'>,
  { identity }: RouteContext,
): Record<'exchange' | 'revoke', Handler> {
  return {
    /** An app that receives 403 continues with the password that it has. */
    async exchange(event) {
      requireApp(event);
      const { user, appPassword } = await identity.login(event, 'latin1');
      if (appPassword) throw new Refusal('forbidden', 'this is an app password already');
      const secret = await appPasswords.create(user.id, toAppLabel(readApp(event)) || 'App');
      return ocs(`<data><apppassword>${secret}</apppassword></data>`);
    },

    async revoke(event) {
      requireApp(event);
      const { user, appPassword } = await identity.login(event, 'latin1');
      if (!appPassword) throw new Refusal('forbidden', 'this is not an app password');
      await appPasswords.revoke(user.id, appPasswordId(appPassword.digest));
      return ocs('<data/>');
    },
  };
}

/** Throws `forbidden` without the header that a page of another website cannot send. */
function requireApp(event: H3Event): void {
  if (!event.req.headers.has(APP_HEADER)) throw new Refusal('forbidden', 'send the header OCS-APIRequest: true');
}

const ocs = (data: string): Reply => ({
  type: MEDIA_TYPES.xml,
  body: `${XML_DECLARATION}<ocs><meta><status>ok</status><statuscode>200</statuscode><message>OK</message></meta>${data}</ocs>\n`,
});
