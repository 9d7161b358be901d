/** The stores of users, sessions and passwords. Types only, as in `stores.ts`. */

import type { Json, Seconds, Stamp, UserId } from '../domain/types.ts';
import type { StorageError } from './errors.ts';

export interface NewUser {
  name: string;
  email?: string;
  passwordHash: string;
}
export interface User extends NewUser {
  id: UserId;
  createdAt: Seconds;
}
export type UserChange = Partial<Pick<User, 'name' | 'passwordHash'>> & { email?: string | undefined };

export interface UserStore {
  /**
   * `settings` are account settings, stored in the same commit. Rejects with `conflict` if the name or e-mail is taken.
   * Names and e-mails share one namespace and are compared without case.
   */
  create(user: NewUser, settings?: Readonly<Record<string, Json>>): Promise<User>;
  /** By name or e-mail, without case. */
  find(login: string): Promise<User | undefined>;
  /** The same, also for an account whose data is missing or cannot be read. */
  findId(login: string): Promise<UserId | undefined>;
  /**
   * Changes only the given fields, in one commit; an undefined `email` removes it. A new hash ends all sessions of the user,
   * even an equal one. Rejects with `conflict` if another account has the name or e-mail.
   */
  update(user: UserId, change: UserChange): Promise<void>;
  /**
   * Removes the user with all data, even if that is missing or cannot be read: what cannot be read is left invisible, and
   * the log names it.
   */
  delete(user: UserId): Promise<void>;
  /** Removes the rest of accounts whose removal or import was interrupted an hour ago or earlier. Call it daily. */
  removeAbandoned(): Promise<void>;
  /** Whether any account exists, even one whose data is missing or cannot be read. */
  hasAny(): Promise<boolean>;
  /**
   * By name, in code-point order. Rejects with `missing` if the data of an account is missing, with `corrupt` if it cannot
   * be read; with `onDamage`, that is called for each such account, which is left out unless it throws.
   */
  all(onDamage?: (login: string, error: StorageError) => void): Promise<User[]>;
  /**
   * A time below the stamps of all changes of the user that are not stored yet, for marks that must be a time. Waits for
   * running writes of the user. If the storage is shared, reduced by the possible clock skew between nodes. Seconds.
   */
  stableUntil(user: UserId): Promise<Stamp>;
}

/** `digest` is a hash of the cookie: a stolen database does not open sessions. */
export interface Session {
  digest: string;
  user: UserId;
  expiresAt: Seconds;
  /** `User-Agent` of the app that opened it, where it may be kept. */
  app?: string | undefined;
}

export interface SessionStore {
  /** Creates the session, or replaces the one with this digest. Rejects with `missing` if the user does not exist. */
  save(session: Session): Promise<void>;
  /** Changes only the given fields. False if the session is unknown, expired or was ended: it is not recreated. */
  update(digest: string, change: Partial<Pick<Session, 'expiresAt' | 'app'>>): Promise<boolean>;
  /** The session with its user; undefined if it is unknown or expired (`expiresAt <= now`). */
  find(digest: string): Promise<{ session: Session; user: User } | undefined>;
  /** Does nothing if there is none. */
  delete(digest: string): Promise<void>;
  /** The user's sessions that are not expired, the last to expire first. */
  all(user: UserId): Promise<Session[]>;
  /** Ends all sessions of a user; returns how many were not expired. */
  endAll(user: UserId): Promise<number>;
  /** How many are not expired. Reads all of them. */
  count(): Promise<number>;
  /** Returns how many were removed. Call it daily. */
  deleteExpired(): Promise<number>;
}

/** A password for one app, used instead of the account's own. `digest` is a hash of it, as for a session. */
export interface AppPassword extends Partial<AppPasswordUse> {
  digest: string;
  user: UserId;
  /** Name given by the user. */
  label: string;
  /** Device id for requests of the app that name no device; it need not exist. */
  device: string;
  createdAt: Seconds;
}

/** How an app password was last used. */
export interface AppPasswordUse {
  /** To the hour. */
  usedAt: Seconds;
  /** Network address of the request. */
  address: string;
  /** `User-Agent` of the app; empty if it has none, or none may be stored. */
  app: string;
}

export interface AppPasswordStore {
  /** Rejects with `missing` if the user does not exist. */
  create(appPassword: AppPassword): Promise<void>;
  /** The app password and its user; undefined if it is unknown or was revoked, by any process. */
  find(digest: string): Promise<{ appPassword: AppPassword; user: User } | undefined>;
  /** The user's app passwords, oldest first. */
  all(user: UserId): Promise<AppPassword[]>;
  /** False if the user has no such app password: it is not recreated. */
  recordUse(user: UserId, digest: string, use: AppPasswordUse): Promise<boolean>;
  /** Also removes the marks served to its device. False if the user has no such app password. */
  revoke(user: UserId, digest: string): Promise<boolean>;
}

/** An app login that the user has granted in a browser and the app has not fetched yet. */
export interface GrantedLogin {
  /** Hash of the token with which the app fetches it. */
  digest: string;
  user: UserId;
  /** Label of the app password that is created. */
  label: string;
  expiresAt: Seconds;
}

/** Expired logins are removed automatically, and those of a removed account with it. */
export interface AppLoginStore {
  /** False if there is one with this digest, fetched or not. */
  grant(login: GrantedLogin): Promise<boolean>;
  /** Whether there is one with this digest, fetched or not. */
  isGranted(digest: string): Promise<boolean>;
  /**
   * Returns the login and its user, once across all nodes. Undefined if it is unknown, expired or was taken before, or
   * if the user does not exist.
   */
  take(digest: string): Promise<{ login: GrantedLogin; user: User } | undefined>;
}

/** At most `most` attempts within `within` seconds. */
export interface AttemptLimit {
  most: number;
  within: Seconds;
}

/**
 * Wrong passwords of the last minutes and accounts created in the last hour, counted by key (a hash) across all nodes.
 * Old ones are removed automatically. A storage that belongs to one process may lose all of them at `close()`: see
 * `createAttemptStore`.
 */
export interface AttemptStore {
  /**
   * Counts one attempt and returns 0. If the limit is reached, counts nothing and returns the seconds until the next
   * attempt is allowed. Atomic: of many concurrent attempts at most the limit is counted.
   */
  add(key: string, limit: AttemptLimit): Promise<Seconds>;
  /** What `add` would return. */
  wait(key: string, limit: AttemptLimit): Promise<Seconds>;
  /** Removes the latest attempt, if there is one. */
  refund(key: string): Promise<void>;
}
