import { isUtf8 } from 'node:buffer';
import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import type { Seconds } from '../domain/types.ts';
import { isSelf } from '../services/accounts/accounts.ts';
import { isAppPassword } from '../services/accounts/app-passwords.ts';
import { SESSION_LIFE, type SessionClient, sessionId } from '../services/accounts/sessions.ts';
import type { Services } from '../services/services.ts';
import type { AppPassword, User } from '../storage/stores.ts';
import { isStorageError } from '../storage/errors.ts';
import { refuseForeignScript } from './cross-site.ts';
import { readApp, readCookie, readParam } from './input.ts';
import { basePath, type Client, type OriginRules, readClient, writeCookie } from './origin.ts';

/** A user, and the app password that a request came with in place of the account's own. */
export interface Login {
  user: User;
  appPassword?: AppPassword | undefined;
}

/** Who is asking. */
export interface Identity {
  /**
   * The user that the request authenticates, by Basic or Bearer or else by cookie. Throws `unauthenticated`, and
   * `throttled` after many wrong passwords, `busy`, and `forbidden` for jsonp that another website asks for. A stale
   * cookie beside good Basic does no harm.
   */
  user(event: H3Event): Promise<User>;
  /** The user that the request was found to be from; undefined before, and where it is from nobody. */
  known(event: H3Event): User | undefined;
  /** The same as `user` with the app password, if it was one. `charset`: Basic that is not UTF-8 is read as Latin-1. */
  login(event: H3Event, charset?: 'latin1'): Promise<Login>;
  /**
   * The user who visits the site. Undefined without credentials, for a cookie whose session is over, and for an app
   * password, which opens no page.
   */
  visitor(event: H3Event): Promise<User | undefined>;
  /** As `user`, who must be the one that the path names: else throws `forbidden`, or what `otherwise` makes. */
  owner(event: H3Event, otherwise?: () => Refusal): Promise<User>;
  /** Whether that is who is asking; false without a login. Throws as `user` does for a wrong password. */
  isOwner(event: H3Event): Promise<boolean>;
  /** As `user`, where an answer takes notice of a login but asks for none: undefined also where it is refused. */
  viewer(event: H3Event): Promise<User | undefined>;
  /**
   * The user that the cookie belongs to; undefined without a cookie or when its session is over. A session in use is
   * prolonged on the way, and its cookie sent again.
   */
  cookieUser(event: H3Event): Promise<User | undefined>;
  /** Opens a session for somebody whose password was found right: the answer sets its cookie. */
  signIn(event: H3Event, user: User): Promise<void>;
  /** Id of the session that the cookie is of (see `OpenSession`); undefined without a cookie. */
  sessionId(event: H3Event): string | undefined;
  /** Sends the cookie that the request came with once more, unless the answer has one already. */
  repeat(event: H3Event): void;
  /** Ends the session of the cookie and clears it. */
  forget(event: H3Event): Promise<void>;
}

const COOKIE = 'sessionid';

/** Context key of the user. */
const USER = 'podsyncUser';

/** Context key of the `Set-Cookie` that goes out with the answer. */
const SET_COOKIE = 'podsyncSetCookie';

export const setCookieOf = (event: H3Event): string | undefined => event.context[SET_COOKIE] as string | undefined;

export function createIdentity(
  { accounts, sessions, appPasswords }: Pick<Services, 'accounts' | 'sessions' | 'appPasswords'>,
  origin: OriginRules,
): Identity {
  const path = basePath(origin) || '/';

  const setCookie = (event: H3Event, value: string, life: Seconds): void => {
    const cookie = { name: COOKIE, value, path, life, sameSite: 'Lax' } as const;
    event.context[SET_COOKIE] = writeCookie(event, origin, cookie);
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
    if (found?.prolonged) setCookie(event, token, SESSION_LIFE);
    return found;
  };
  const cookieUser = async (event: H3Event): Promise<User | undefined> => (await cookieLogin(event))?.user;

  const signIn = async (event: H3Event, user: User): Promise<void> =>
    setCookie(event, await sessions.open(user, clientOf(event)), SESSION_LIFE);

  /**
   * The login by an app password. Its cookie, for clients that send their password once, is the app password itself: so
   * it ends when that is revoked, and opens no page.
   */
  const appLogin = async (event: H3Event, { name, password }: Credentials): Promise<Login | undefined> => {
    const found = await appPasswords.find(password, clientOf(event));
    if (!found || (name !== undefined && !isSelf(found.user, name))) return undefined;
    if (readCookie(event, COOKIE) !== password) setCookie(event, password, SESSION_LIFE);
    return found;
  };

  /** The cookie will do where somebody else behind the same proxy has tried too many passwords. */
  const logIn = async (event: H3Event, login: string, password: string, client: Client): Promise<User> => {
    try {
      return await accounts.login(login, password, client);
    } catch (error) {
      if (!client.isShared || !(error instanceof Refusal) || error.code !== 'throttled') throw error;
      const user = await cookieUser(event);
      if (!user || !isSelf(user, login)) throw error;
      return user;
    }
  };

  const basicUser = async (event: H3Event, login: string, password: string): Promise<User> => {
    const client = readClient(event, origin);
    const user = await logIn(event, login, password, client);
    // Whoever comes without the cookie gets it with any answer: some clients answer only three challenges in their life.
    if ((await cookieUser(event))?.id !== user.id) {
      await signIn(event, user).catch((error: unknown) => {
        // A full disk has no room for a session; whoever reads needs none, as Basic comes with each request.
        if (!['GET', 'HEAD'].includes(event.req.method) || !isStorageError(error, 'full')) throw error;
      });
    }
    return user;
  };

  const anyLogin = async (event: H3Event, charset?: 'latin1'): Promise<Login | undefined> => {
    refuseForeignScript(event, origin);
    const credentials = readCredentials(event, charset);
    if (!credentials) return cookieLogin(event);
    const { name, password } = credentials;
    const found = await appLogin(event, credentials);
    if (found) return found;
    if (name !== undefined) return { user: await basicUser(event, name, password) };
    // A token of something in front of the server, say. Otherwise it is compared and counted like a wrong password.
    return (await cookieLogin(event)) ?? { user: await basicUser(event, NO_NAME, password) };
  };
  const knownLogin = async (event: H3Event, charset?: 'latin1'): Promise<Login | undefined> => {
    const found = await anyLogin(event, charset);
    if (found) event.context[USER] = found.user;
    return found;
  };
  const anyUser = async (event: H3Event): Promise<User | undefined> => (await knownLogin(event))?.user;

  const login: Identity['login'] = async (event, charset) => {
    const found = await knownLogin(event, charset);
    if (!found) throw new Refusal('unauthenticated', 'log in with your user name and password');
    return found;
  };

  const identity: Identity = {
    known: (event) => event.context[USER] as User | undefined,
    login,
    user: async (event) => (await login(event)).user,
    async owner(event, otherwise = notYours) {
      const user = await identity.user(event);
      if (!isSelf(user, readParam(event, 'user'))) throw otherwise();
      return user;
    },
    async visitor(event) {
      const found = await anyLogin(event);
      return found?.appPassword ? undefined : found?.user;
    },
    async isOwner(event) {
      const user = await anyUser(event);
      return user !== undefined && isSelf(user, readParam(event, 'user'));
    },
    viewer: (event) =>
      anyUser(event).catch((error: unknown) => {
        if (error instanceof Refusal && error.code !== 'busy') return undefined;
        throw error;
      }),
    cookieUser,
    signIn,
    sessionId(event) {
      const token = readCookie(event, COOKIE);
      return token === undefined ? undefined : sessionId(token);
    },
    repeat(event) {
      const token = readCookie(event, COOKIE);
      if (token !== undefined && setCookieOf(event) === undefined) setCookie(event, token, SESSION_LIFE);
    },
    async forget(event) {
      const token = readCookie(event, COOKIE);
      if (token === undefined) return;
      await sessions.end(token);
      setCookie(event, '', 0);
    },
  };
  return identity;
}

/** What came as `Authorization`. A Bearer token is an app password without a name. */
interface Credentials {
  name?: string;
  password: string;
}

/** Nobody has it, so no password is right for it. */
const NO_NAME = '';

/** Undefined where the header is missing or of another scheme. Throws `unauthenticated` when it cannot be decoded. */
function readCredentials(event: H3Event, charset?: 'latin1'): Credentials | undefined {
  const header = event.req.headers.get('authorization')?.trim() ?? '';
  const [, scheme, value = ''] = /^(basic|bearer) +([^ ]*)$/i.exec(header) ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return { password: value };
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  if (colon === -1 || (charset === undefined && !isUtf8(bytes))) {
    throw new Refusal(
      'unauthenticated',
      'the credentials cannot be read; they must be base64 of name:password in UTF-8',
    );
  }
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** For everything that belongs to somebody else, whether or not that user exists. */
const notYours = (): Refusal => new Refusal('forbidden', 'this belongs to another user');
