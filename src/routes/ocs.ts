import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { MEDIA_TYPES } from '../formats/format.ts';
import { XML_DECLARATION } from '../formats/xml.ts';
import { APP_HEADER } from '../http/cross-site.ts';
import { readApp } from '../http/input.ts';
import { json, type Reply } from '../http/reply.ts';
import { appPasswordId } from '../services/accounts/app-passwords.ts';
import type { Services } from '../services/services.ts';
import { toAppLabel } from '../services/sync/app-name.ts';
import type { Handler, RouteContext } from './route.ts';

/** The Nextcloud version that apps see. */
const VERSION = '31.0.0';

/** What apps use of Nextcloud itself: its status, and its OCS interface. */
export function createOcsRoutes(
  { appPasswords }: Pick<Services, 'appPasswords'>,
  { identity }: RouteContext,
): Record<'status' | 'capabilities' | 'exchangePassword' | 'revokePassword', Handler> {
  return {
    /** Some apps check for a Nextcloud server before they start. */
    status: () =>
      json({
        installed: true,
        maintenance: false,
        needsDbUpgrade: false,
        version: `${VERSION}.0`,
        versionstring: VERSION,
        edition: '',
        productname: 'podsync',
        extendedSupport: false,
      }),

    capabilities() {
      const [major, minor, micro] = VERSION.split('.').map(Number);
      const version = { major, minor, micro, string: VERSION, edition: '', extendedSupport: false };
      const meta = { status: 'ok', statuscode: 200, message: 'OK' };
      return json({ ocs: { meta, data: { version, capabilities: { core: { 'webdav-root': 'remote.php/webdav' } } } } });
    },

    /** Exchanges the account's password for an app password. An app that receives 403 keeps the password that it has. */
    async exchangePassword(event) {
      requireApp(event);
      const { user, appPassword } = await identity.login(event);
      if (appPassword) throw new Refusal('forbidden', 'this is an app password already');
      const secret = await appPasswords.create(user.id, toAppLabel(readApp(event)) || 'App');
      return ocs(`<data><apppassword>${secret}</apppassword></data>`);
    },

    /** Revokes the app password of the request, when the user logs out in the app. */
    async revokePassword(event) {
      requireApp(event);
      const { user, appPassword } = await identity.login(event);
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
