import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import { Form } from '../../http/form.ts';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { writeKnown } from '../../pages/app-passwords.ts';
import { hasProblems, type Problems } from '../../pages/parts/form.ts';
import { type PrivacySettings, renderSettings } from '../../pages/settings.ts';
import type { Services } from '../../services/services.ts';
import { ACCOUNT } from '../../services/sync/settings.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler, RouteContext } from '../route.ts';
import { problemOf, type RefusedFormHandler, repeatProblem, type Site } from './site.ts';

type SettingsServices = Pick<
  Services,
  'administration' | 'appPasswords' | 'registration' | 'sessions' | 'settings' | 'transfer'
>;
type SettingsHandlers =
  | 'show'
  | 'privacy'
  | 'email'
  | 'password'
  | 'createAppPassword'
  | 'revokeAppPassword'
  | 'sessions'
  | 'backup'
  | 'delete';

/** Privacy settings (spec 2.9) by form field. The default of each is true. */
const PRIVACY = {
  publicProfile: 'public_profile',
  publicSubscriptions: 'public_subscriptions',
  storeUserAgent: 'store_user_agent',
} as const satisfies Record<keyof PrivacySettings, string>;

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['privacy', 'Privacy settings saved.'],
  ['email', 'E-mail address saved.'],
  [
    'password',
    'Password changed. All other browsers are signed out. Enter the new password in your apps, except in those with an app password.',
  ],
  ['app-passwords', 'App password revoked: the app can no longer sync with it.'],
  ['sessions', 'Signed out.'],
]);

const CHANGED =
  'your app passwords have changed since this form was opened, and nothing was created. Send it again if you need another one';

/** The settings of an account. */
export function createSettingsPages(
  { administration, appPasswords, registration, sessions, settings, transfer }: SettingsServices,
  { identity }: RouteContext,
  site: Site,
): Record<SettingsHandlers, Handler> {
  const readPrivacy = async ({ id }: User): Promise<PrivacySettings> => {
    const stored = await settings.get(id, ACCOUNT);
    const privacy = Object.entries(PRIVACY).map(([field, key]) => [field, stored[key] !== false]);
    return Object.fromEntries(privacy) as PrivacySettings;
  };

  const page = async (
    event: H3Event,
    user: User,
    { fields = new Form(), problems = {}, created }: { fields?: Form; problems?: Problems; created?: string } = {},
  ): Promise<Reply> => {
    const contents = {
      name: user.name,
      email: fields.get('email') ?? user.email ?? '',
      privacy: await readPrivacy(user),
      sessions: await sessions.all(user.id),
      current: identity.sessionId(event),
      appPasswords: await appPasswords.all(user.id),
      entered: { label: fields.get('label'), name: fields.get('name') },
      created,
      notice: NOTICES.get(readQuery(event, 'saved') ?? ''),
      problems,
    };
    return site.ownPage(
      event,
      ({ base, directory }, csrf) => renderSettings({ ...contents, base, directory, csrf }),
      problems,
    );
  };

  const saved = (event: H3Event, what: string): Reply => site.redirect(event, `/settings?saved=${what}`);

  /** The problem with a password that confirms a change; undefined if it is right. Wrong ones count as for a login. */
  const passwordProblem = async (event: H3Event, user: User, password = ''): Promise<string | undefined> => {
    try {
      await identity.authenticate(event, user.name, password);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.code === 'unauthenticated' ? 'this is not your password' : error.message;
    }
  };

  const onRefused =
    (field: string): RefusedFormHandler =>
    (event, user, fields, error) =>
      page(event, user, { fields, problems: problemOf(error, field) });

  return {
    show: site.signedIn((event, user) => page(event, user)),

    privacy: site.submitted(async (event, user, fields) => {
      const set = Object.entries(PRIVACY).map(([field, key]) => [key, fields.has(field)]);
      await settings.update(user.id, ACCOUNT, { set: Object.fromEntries(set), remove: [] });
      return saved(event, 'privacy');
    }),

    email: site.submitted(
      async (event, user, fields) => {
        const email = fields.get('email')?.trim() ?? '';
        await administration.setEmail(user.name, email === '' ? undefined : email);
        return saved(event, 'email');
      },
      { onRefused: onRefused('email') },
    ),

    password: site.submitted(
      async (event, user, fields) => {
        const password = fields.get('password') ?? '';
        const current = await passwordProblem(event, user, fields.get('current'));
        const { password: weak } = registration.problems({ name: user.name, password });
        const problems = {
          ...(current !== undefined && { current }),
          ...(weak !== undefined && { password: weak }),
          ...repeatProblem(fields),
        };
        if (hasProblems(problems)) return page(event, user, { problems });
        await administration.setPassword(user.name, password); // ends all sessions
        await identity.signIn(event, await administration.find(user.name));
        return saved(event, 'password');
      },
      { onRefused: onRefused('form') },
    ),

    // Returns the page instead of a redirect, because the plain text is stored nowhere. A reload sends the form again.
    createAppPassword: site.submitted(
      async (event, user, fields) => {
        const known = fields.get('known') ?? '';
        if (known !== writeKnown(await appPasswords.all(user.id))) throw new Refusal('conflict', CHANGED);
        const created = await appPasswords.create(user.id, fields.get('label') ?? '');
        return page(event, user, { created });
      },
      { onRefused: onRefused('label') },
    ),

    revokeAppPassword: site.submitted(async (event, user, fields) => {
      await appPasswords.revoke(user.id, fields.get('id') ?? '');
      return saved(event, 'app-passwords');
    }),

    sessions: site.submitted(async (event, user, fields) => {
      const id = fields.get('id') ?? '';
      if (id === 'others') await sessions.endOthers(user.id, identity.sessionId(event));
      else await sessions.endOne(user.id, id);
      return saved(event, 'sessions');
    }),

    backup: site.signedIn(async (_event, user) => {
      const { text } = await transfer.export({ users: [user.name], passwords: true });
      return {
        type: 'application/x-ndjson',
        body: text,
        headers: { 'content-disposition': `attachment; filename="podsync-${user.name}.ndjson"` },
      };
    }),

    delete: site.submitted(
      async (event, user, fields) => {
        const confirm = await passwordProblem(event, user, fields.get('confirm'));
        const problems = {
          ...(fields.get('name') !== user.name && { name: 'this is not your user name' }),
          ...(confirm !== undefined && { confirm }),
        };
        if (hasProblems(problems)) return page(event, user, { fields, problems });
        await administration.remove(user.name);
        await identity.signOut(event);
        return site.redirect(event, '/?deleted=account');
      },
      { onRefused: onRefused('form') },
    ),
  };
}
