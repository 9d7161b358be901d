import { invalid, Refusal } from '../../domain/errors.ts';
import type { UserId } from '../../domain/types.ts';
import type { Storage, User } from '../../storage/stores.ts';
import { isStorageError } from '../../storage/errors.ts';
import { checkPassword, type Passwords } from './passwords.ts';
import type { Guess, Throttle } from './throttle.ts';

const USER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,149}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,185}$/;
/** Characters of the longest e-mail address. */
const MAX_LOGIN_LENGTH = 250;

/**
 * No user has this id. What is read without a login is read under it where there is no such user, so that the answer
 * takes as long as for a user who shows nothing.
 */
export const UNKNOWN_USER = '0' as UserId;

export interface NewAccount {
  name: string;
  email?: string;
  password: string;
  /** Whether all devices have one list of subscriptions: the setting `sync_devices`. Unless given, as the server has it. */
  syncDevices?: boolean;
  /** Whether nobody else sees the subscriptions: then the setting `public_subscriptions` (spec 2.9) is false. */
  isPrivate?: boolean;
}

export interface Accounts {
  /** With its settings, in one step. Throws `invalid` with what is wrong, `conflict` when the name or e-mail is taken. */
  create(account: NewAccount): Promise<User>;
  /** By user name, without case. An e-mail address finds nobody: anyone may ask, and it is private. */
  findByName(name: string): Promise<User | undefined>;
  /** Whether there is any account yet. */
  hasAny(): Promise<boolean>;
  /**
   * The user with this name (or e-mail) and password, who logs in from somewhere. Throws `unauthenticated` when
   * either is wrong, `throttled` after many wrong passwords, `busy` where too many log in at once.
   */
  login(login: string, password: string, from: Pick<Guess, 'address' | 'isShared'>): Promise<User>;
}

/** Throws `invalid` where this cannot be a user name. */
export function checkUserName(name: string): void {
  if (USER_NAME.test(name)) return;
  throw invalid('a user name is 1 to 150 letters a-z, digits or any of _ . + - and begins with a letter, digit or _');
}

/** Throws `invalid` where this cannot be an e-mail address. */
export function checkEmail(email: string): void {
  if (!EMAIL.test(email)) throw invalid('this is not an e-mail address');
}

/** Throws `invalid` with what is wrong with an account that somebody wants to make. */
export function checkAccount({ name, email, password }: NewAccount): void {
  checkUserName(name);
  if (email !== undefined) checkEmail(email);
  checkPassword(password);
}

interface AccountRules {
  passwords: Passwords;
  throttle: Throttle;
  /** Whether a new account begins with the setting `sync_devices`, unless it was asked for or refused. */
  syncDevices: boolean;
}

export const createAccounts = (
  { users }: Pick<Storage, 'users'>,
  { passwords, throttle, syncDevices }: AccountRules,
): Accounts => ({
  async create(account) {
    checkAccount(account);
    const { name, email, password, isPrivate } = account;
    const passwordHash = await passwords.hash(password);
    const settings = {
      ...((account.syncDevices ?? syncDevices) && { sync_devices: true }),
      ...(isPrivate && { public_subscriptions: false }),
    };
    try {
      return await users.create({ name, ...(email !== undefined && { email }), passwordHash }, settings);
    } catch (error) {
      throw isStorageError(error, 'conflict') ? new Refusal('conflict', error.message) : error;
    }
  },

  async findByName(name) {
    const user = await users.find(name);
    return user?.name.toLowerCase() === name.toLowerCase() ? user : undefined;
  },

  async hasAny() {
    for await (const _user of users.all()) return true;
    return false;
  },

  async login(login, password, { address, isShared }) {
    if (login.length > MAX_LOGIN_LENGTH) throw wrong(); // and never remembered: anybody may send megabytes
    const user = await users.find(login);
    const guess = { login, address, isShared, user: user?.id };
    await throttle.check(guess);
    const isRight = await passwords.verify(user, password, (compare) => throttle.attempt(guess, compare));
    if (!user || !isRight) throw wrong();
    return user;
  },
});

const wrong = (): Refusal => new Refusal('unauthenticated', 'the user name or the password is wrong');

/** Whether `login`, as it stands in a path, means this user: by name or e-mail, without case. */
export const isSelf = (user: User, login: string): boolean =>
  [user.name, user.email].some((own) => own?.toLowerCase() === login.toLowerCase());
