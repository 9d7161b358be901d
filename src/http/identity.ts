import { isUtf8 } from 'node:buffer';
import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import type { Seconds } from '../domain/types.ts';
import { isSelf } from '../services/accounts/accounts.ts';
import { isAppPassword } from '../services/accounts/app-passwords.ts';
import { SESSION_LIFE, type SessionClient, sessionId } from '../services/accounts/sessions.ts';
import type { Viewer } from '../services/directory/directory.ts';
import type { Services } from '../services/services.ts';
import { isStorageError } from '../storage/errors.ts';
import type { AppPassword, User } from '../storage/stores.ts';
import { isCrossSite, refuseForeignScript } from './cross-site.ts';
import { readApp, readCookie, readParam } from './input.ts';
import { basePath, type OriginRules, readClient, writeCookie } from './origin.ts';

/** A user, and the app password that the request used instead of the account's own password. */
interface Login {
  user: User;
  appPassword?: AppPassword | undefined;
}

/** Authenticates requests. */
export interface Identity {
  /**
   * The user of the request, by Basic or Bearer, otherwise by cookie. Throws `unauthenticated`, `throttled` after many
   * wrong passwords, `busy`, and `forbidden` for JSONP requested by another website. An expired cookie beside valid
   * Basic credentials is ignored.
   */
  user(event: H3Event): Promise<User>;
  /**
   * The user with this name (or e-mail) and password, which are not in the headers. Throws as `Accounts.login` does.
   */
  authenticate(event: H3Event, login: string, password: string): Promise<User>;
  /** The user, if the request has already been authenticated. */
  knownUser(event: H3Event): User | undefined;
  /** The same as `user`, with the app password if one was used. */
  login(event: H3Event): Promise<Login>;
  /**
   * The user who visits the site. Undefined without credentials, for an expired session, and for an app password, which
   * opens no page.
   */
  siteUser(event: H3Event): Promise<User | undefined>;
  /** As `user`, but throws `forbidden`, or the result of `otherwise`, unless the path names this user. */
  owner(event: H3Event, otherwise?: () => Refusal): Promise<User>;
  /** Whether the path names the user of the request; false without a login. Throws as `user` does. */
  isOwner(event: H3Event): Promise<boolean>;
  /** The user, for responses where a login is optional: undefined also if the login is refused. Throws `busy`. */
  viewer(event: H3Event): Viewer;
  /**
   * The user of the cookie; undefined without a cookie or after its session has ended. Extends a session in use and
   * sends its cookie again.
   */
  cookieUser(event: H3Event): Promise<User | undefined>;
  /**
   * Opens a session of its own for a browser whose user has given the right password, and ends its previous one; the
   * response sets the cookie.
   */
  signIn(event: H3Event, user: User): Promise<void>;
  /** Id of the cookie's session (see `OpenSession`); undefined without a cookie. */
  sessionId(event: H3Event): string | undefined;
  /** Sends the cookie of the request again if it is valid, unless the response already sets one. */
  resendCookie(event: H3Event): Promise<void>;
  /** Ends the session of the cookie and clears it. */
  signOut(event: H3Event): Promise<void>;
}

const COOKIE = 'sessionid';

/** Context keys of the login, which is checked once per request, and of its user. */
const LOGIN = 'podsyncLogin';
const USER = 'podsyncUser';

/** Context key of the response's `Set-Cookie`. */
const SET_COOKIE = 'podsyncSetCookie';

export const setCookieOf = (event: H3Event): string | undefined => event.context[SET_COOKIE] as string | undefined;

/** Whether the response depends on who is signed in, and nobody is. */
export const isSignedOut = (event: H3Event): boolean =>
  event.context[LOGIN] !== undefined && event.context[USER] === undefined;

export function createIdentity(
  { accounts, sessions, appPasswords }: Pick<Services, 'accounts' | 'sessions' | 'appPasswords'>,
  origin: OriginRules,
): Identity {
  const path = basePath(origin) || '/';

  const setCookie = (event: H3Event, value: string, life: Seconds = SESSION_LIFE): void => {
    event.context[SET_COOKIE] = writeCookie(event, origin, { name: COOKIE, value, path, life });
  };

  const clientOf = (event: H3Event): SessionClient => ({
    address: readClient(event, origin).address,
    app: readApp(event),
  });

  const cookieLogin = async (event: H3Event): Promise<Login | undefined> => {
    const token = readCookie(event, COOKIE);
    if (token === undefined) return undefined;
    if (isAppPassword(token)) return appPasswords.find(token, clientOf(event));
    const found = await sessions.find(token);
    if (found?.extended) setCookie(event, token);
    return found;
  };
  const cookieUser = async (event: H3Event): Promise<User | undefined> => (await cookieLogin(event))?.user;

  const openSession = async (event: H3Event, user: User, options?: { isNew: boolean }): Promise<void> =>
    setCookie(event, await sessions.open(user, clientOf(event), options));

  /** A link on another website, with the password of its own account, must not sign the visitor in to that account. */
  const mayOpenSession = (event: H3Event): boolean => !isCrossSite(event, origin);

  /**
   * Login by app password. Its cookie, for clients that send their password only once, is the app password itself: it
   * stops working when the password is revoked, and opens no page.
   */
  const appLogin = async (event: H3Event, { name, password }: Credentials): Promise<Login | undefined> => {
    const found = await appPasswords.find(password, clientOf(event));
    if (!found || (name !== undefined && !isSelf(found.user, name))) return undefined;
    if (mayOpenSession(event) && readCookie(event, COOKIE) !== password) setCookie(event, password);
    return found;
  };

  const basicUser = async (event: H3Event, login: string, password: string): Promise<User> => {
    const client = readClient(event, origin);
    const user = await accounts.login(login, password, client).catch(async (error: unknown) => {
      // The cookie suffices if another client behind the same proxy has tried too many passwords.
      const isThrottled = client.isShared && error instanceof Refusal && error.code === 'throttled';
      const holder = isThrottled ? await cookieUser(event) : undefined;
      if (!holder || !isSelf(holder, login)) throw error;
      return holder;
    });
    // Any response sets a missing cookie: some clients send their password only three times in their lifetime.
    if (mayOpenSession(event) && (await cookieUser(event))?.id !== user.id) {
      await openSession(event, user).catch((error: unknown) => {
        // A full disk has no space for a session. Reading needs none, because each request carries Basic credentials.
        if (!['GET', 'HEAD'].includes(event.req.method) || !isStorageError(error, 'full')) throw error;
      });
    }
    return user;
  };

  const loginByCredentials = async (event: H3Event, credentials: Credentials): Promise<Login | undefined> => {
    const { name, password } = credentials;
    const found = isAppPassword(password) && (await appLogin(event, credentials));
    if (found) return found;
    if (name !== undefined) return { user: await basicUser(event, name, password) };
    // It may be a token for a proxy in front of the server. Otherwise it is checked and counted like a wrong password.
    return (await cookieLogin(event)) ?? { user: await basicUser(event, NO_NAME, password) };
  };
  const checkLogin = async (event: H3Event): Promise<Login | undefined> => {
    refuseForeignScript(event, origin);
    const credentials = readCredentials(event);
    const found = await (credentials ? loginByCredentials(event, credentials) : cookieLogin(event));
    if (found) event.context[USER] = found.user;
    return found;
  };
  const anyLogin = (event: H3Event): Promise<Login | undefined> =>
    (event.context[LOGIN] ??= checkLogin(event)) as Promise<Login | undefined>;
  const anyUser = async (event: H3Event): Promise<User | undefined> => (await anyLogin(event))?.user;

  return {
    knownUser: (event) => event.context[USER] as User | undefined,
    async authenticate(event, login, password) {
      const user = await accounts.login(login, password, readClient(event, origin));
      event.context[USER] = user;
      return user;
    },
    login: async (event) => required(await anyLogin(event)),
    user: async (event) => required(await anyLogin(event)).user,
    async owner(event, otherwise = notYours) {
      const { user } = required(await anyLogin(event));
      if (!isSelf(user, readParam(event, 'user'))) throw otherwise();
      return user;
    },
    async siteUser(event) {
      const found = await anyLogin(event);
      return found?.appPassword ? undefined : found?.user;
    },
    async isOwner(event) {
      const user = await anyUser(event);
      return user !== undefined && isSelf(user, readParam(event, 'user'));
    },
    viewer: (event) => async () => {
      try {
        return (await anyUser(event))?.id;
      } catch (error) {
        if (error instanceof Refusal && error.code !== 'busy') return undefined;
        throw error;
      }
    },
    cookieUser,
    async signIn(event, user) {
      const previous = readCookie(event, COOKIE);
      await openSession(event, user, { isNew: true });
      if (previous !== undefined) await sessions.end(previous);
    },
    sessionId(event) {
      const token = readCookie(event, COOKIE);
      return token === undefined ? undefined : sessionId(token);
    },
    async resendCookie(event) {
      if (setCookieOf(event) !== undefined || !(await cookieUser(event))) return;
      setCookie(event, readCookie(event, COOKIE)!);
    },
    async signOut(event) {
      const token = readCookie(event, COOKIE);
      if (token === undefined) return;
      await sessions.end(token);
      setCookie(event, '', 0);
    },
  };
}

/** The content of `Authorization`. A Bearer token is an app password without a name. */
interface Credentials {
  name?: string;
  password: string;
}

/** No user has this name, so no password is right for it. */
const NO_NAME = '';

/**
 * Undefined if the header is missing or of another scheme. Throws `unauthenticated` if it cannot be decoded. What is not
 * UTF-8 is Latin-1, which gPodder uses to download lists, and AntennaPod in the Nextcloud dialect.
 */
function readCredentials(event: H3Event): Credentials | undefined {
  const header = event.req.headers.get('authorization');
  if (header === null) return undefined;
  const [, scheme, value = ''] = /^(basic|bearer) +([^ ]*)$/i.exec(header) ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return { password: value };
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  if (colon === -1) {
    throw new Refusal('unauthenticated', 'the credentials cannot be read; they must be base64 of name:password');
  }
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function required(login: Login | undefined): Login {
  if (!login) throw new Refusal('unauthenticated', 'log in with your user name and password');
  return login;
}

/** For all data of another user, whether or not that user exists. */
const notYours = (): Refusal => new Refusal('forbidden', 'this belongs to another user');
