import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { Refusal } from '../../domain/errors.ts';
import { digestOf } from '../../domain/secret.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import type { AppLoginStore, User } from '../../storage/stores.ts';
import { cutAppName } from '../sync/app-name.ts';
import type { AppPasswords } from './app-passwords.ts';

/** How long an app waits to be granted access. */
const LIFE: Seconds = 20 * 60;

/**
 * How an app gets an app password without asking for a password: it opens a link in the browser, where the user grants
 * access, and polls until then (Nextcloud's login flow v2). The link contains all that is known about the app, so that
 * nothing is stored before access is granted; the app password is created when the app fetches it, so that its plain
 * text is never stored.
 */
export interface LoginFlow {
  /** Begins a flow for the app with this `User-Agent`: the token that it polls with, and the token of the link. */
  begin(app: string): { poll: string; link: string };
  /** The login that the link requests. Throws `missing` for a link that has expired, was used, or never existed. */
  read(link: string): Promise<RequestedLogin>;
  /** Throws as `read` does, `invalid` for the label, and `conflict` for too many app passwords. */
  grant(link: string, user: UserId, label: string): Promise<void>;
  /** The app password, once; undefined before access is granted, and for any other token. */
  fetch(poll: string): Promise<{ user: User; appPassword: string } | undefined>;
}

interface RequestedLogin {
  /** `User-Agent`; empty if it has none. */
  app: string;
  digest: string;
  expiresAt: Seconds;
}

const LINK = /^([\w-]{43})\.([0-9a-z]{1,9})\.([\w-]*)$/;

export function createLoginFlow(
  appLogins: AppLoginStore,
  appPasswords: Pick<AppPasswords, 'check' | 'create'>,
  now: Clock,
): LoginFlow {
  const parse = (link: string): RequestedLogin => {
    const [, digest = '', expires = '0', name = ''] = LINK.exec(link) ?? [];
    const expiresAt = parseInt(expires, 36);
    if (expiresAt <= now() || expiresAt > now() + LIFE) {
      throw new Refusal('missing', 'this link has expired; start again in the app');
    }
    return { app: cutAppName(Buffer.from(name, 'base64url').toString()), digest, expiresAt };
  };

  return {
    begin(app) {
      // Apps send it in a form without encoding it.
      const poll = randomBytes(32).toString('hex');
      const expires = (now() + LIFE).toString(36);
      return { poll, link: [digestOf(poll), expires, Buffer.from(cutAppName(app)).toString('base64url')].join('.') };
    },

    async read(link) {
      const login = parse(link);
      if (await appLogins.isGranted(login.digest)) throw wasUsed();
      return login;
    },

    async grant(link, user, label) {
      const { digest, expiresAt } = parse(link);
      await appPasswords.check(user, label); // the app can do nothing about a refusal
      if (!(await appLogins.grant({ digest, user, label, expiresAt }))) throw wasUsed();
    },

    async fetch(poll) {
      const granted = await appLogins.take(digestOf(poll));
      if (!granted) return undefined;
      const { login, user } = granted;
      return { user, appPassword: await appPasswords.create(user.id, login.label) };
    },
  };
}

const wasUsed = (): Refusal => new Refusal('missing', 'this link has already been used; start again in the app');
