import { invalid, Refusal } from '../../domain/errors.ts';
import type { UserId } from '../../domain/types.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Log, Storage, User, UserStore } from '../../storage/stores.ts';
import type { Passwords } from './passwords.ts';
import type { Client, Throttle } from './throttle.ts';

const USER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,149}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,185}$/;
/** Characters of the longest e-mail address. */
const MAX_LOGIN_LENGTH = 250;

/**
 * No user has this id. Public data of an unknown user is read under it, so that the response takes as long as for a user
 * who shows nothing.
 */
export const UNKNOWN_USER = '0' as UserId;

export interface NewAccount {
  name: string;
  email?: string;
  password: string;
  /** Whether all devices share one subscription list: the setting `sync_devices`. The default is that of the server. */
  syncDevices?: boolean;
  /** Whether to hide the subscriptions: sets `public_subscriptions` (spec 2.9) to false. */
  isPrivate?: boolean;
}

export interface Accounts {
  /** Creates an account and its settings in one step. Throws `invalid`, and `conflict` if the name or e-mail is taken. */
  create(account: NewAccount): Promise<User>;
  /** By user name, ignoring case. Does not accept an e-mail address: it is private, and anyone may call this. */
  findByName(name: string): Promise<User | undefined>;
  /** Whether any account exists. */
  hasAny(): Promise<boolean>;
  /**
   * The user with this name (or e-mail) and password. Throws `unauthenticated` if either is wrong, `throttled` after many
   * wrong passwords, and `busy` during too many simultaneous logins. Failures are logged in one form, which programs such as
   * fail2ban read: `Failed login from IP: REASON`.
   */
  login(login: string, password: string, client: Client): Promise<User>;
}

/** Throws `invalid` unless this is a valid user name. */
export function checkUserName(name: string): void {
  if (USER_NAME.test(name)) return;
  throw invalid('a user name is 1 to 150 letters a-z, digits or any of _ . + - and begins with a letter, digit or _');
}

/** Throws `invalid` unless this is a valid e-mail address. */
export function checkEmail(email: string): void {
  if (!EMAIL.test(email)) throw invalid('this is not an e-mail address');
}

interface AccountRules {
  passwords: Passwords;
  throttle: Throttle;
  /** The default of the setting `sync_devices` for new accounts. */
  syncDevices: boolean;
  log: Log;
}

export const createAccounts = (
  { users }: Pick<Storage, 'users'>,
  { passwords, throttle, syncDevices, log }: AccountRules,
): Accounts => ({
  async create(account) {
    const { name, email, password, isPrivate } = account;
    checkUserName(name);
    if (email !== undefined) checkEmail(email);
    const passwordHash = await passwords.hash(password);
    const settings = {
      ...((account.syncDevices ?? syncDevices) && { sync_devices: true }),
      ...(isPrivate && { public_subscriptions: false }),
    };
    return users.create({ name, ...(email !== undefined && { email }), passwordHash }, settings).catch(refuseConflict);
  },

  async findByName(name) {
    const user = await users.find(name);
    return user?.name.toLowerCase() === name.toLowerCase() ? user : undefined;
  },

  hasAny: () => users.hasAny(),

  async login(login, password, { address, isShared, ip }) {
    // What was typed is not logged: it may be the password.
    const logFailure = (reason: string, user?: User): void =>
      log('warn', `Failed login from ${ip || '-'}: ${reason}`, {
        event: 'failed-login',
        ip: ip || null,
        user: user?.name ?? null,
      });
    if (login.length > MAX_LOGIN_LENGTH) {
      logFailure('unknown user'); // and is not stored: anybody may send megabytes
      throw wrong();
    }
    const user = await users.find(login);
    const guess = { login, address, isShared, user: user?.id };
    let isRight: boolean;
    try {
      await throttle.check(guess);
      isRight = await passwords.verify(user, password, (compare) => throttle.attempt(guess, compare));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'throttled') logFailure('too many attempts', user);
      throw error;
    }
    if (user && isRight) return user;
    logFailure(user ? `wrong password for ${user.name}` : 'unknown user', user);
    throw wrong();
  },
});

/**
 * The account with this name or e-mail address. Throws `missing` if there is none, and `conflict` if its data is missing.
 * `what`: the login in the message.
 */
export async function requireUser(
  users: Pick<UserStore, 'find' | 'findId'>,
  login: string,
  what = 'this name or e-mail address',
): Promise<User> {
  const user = await users.find(login);
  if (user) return user;
  if ((await users.findId(login)) === undefined) throw new Refusal('missing', `there is no account with ${what}`);
  throw new Refusal(
    'conflict',
    'the data of this account is missing; restore the storage from a backup, or remove the account with `podsync user remove NAME --yes`',
  );
}

/** Throws a conflict of the storage as a refusal, any other error as it is. */
export function refuseConflict(error: unknown): never {
  throw isStorageError(error, 'conflict') ? new Refusal('conflict', error.message) : error;
}

const wrong = (): Refusal => new Refusal('unauthenticated', 'the user name or the password is wrong');

/** Whether `login` from a path means this user: by name or e-mail, ignoring case. */
export const isSelf = (user: User, login: string): boolean =>
  [user.name, user.email].some((own) => own?.toLowerCase() === login.toLowerCase());
