/** The stores of users, and of what they log in with. Types only, as in `stores.ts`. */

import type { Json, Seconds, Stamp, UserId } from '../domain/types.ts';

export interface NewUser {
  name: string;
  email?: string;
  passwordHash: string;
}
export interface User extends NewUser {
  id: UserId;
  createdAt: Seconds;
}

export interface UserStore {
  /**
   * `settings` are those of the account, set in the same step. Rejects with `conflict` when the name or e-mail is taken.
   * Names and e-mails share one space, compared without case.
   */
  create(user: NewUser, settings?: Readonly<Record<string, Json>>): Promise<User>;
  /** By name or e-mail, without case. */
  find(login: string): Promise<User | undefined>;
  /** Sets the hash and ends all sessions of the user. */
  setPassword(user: UserId, passwordHash: string): Promise<void>;
  /** Rejects with `conflict` when another account has this name or e-mail. Ends no session. */
  rename(user: UserId, name: string): Promise<void>;
  /** Undefined removes it. Rejects with `conflict` when another account has it. Ends no session. */
  setEmail(user: UserId, email: string | undefined): Promise<void>;
  /** Removes the user and all that hangs from it. */
  delete(user: UserId): Promise<void>;
  /** By name, in code-point order. */
  all(): AsyncIterable<User>;
  /**
   * A time that every later change of the user has a stamp above, where a mark must be a time: now, but no later than
   * the start of a write of the user that is under way. Nodes with clocks of their own take off by how much these may
   * differ. Seconds.
   */
  settledAt(user: UserId): Promise<Stamp>;
}

/** `digest` is a hash of the cookie: a stolen database does not open sessions. */
export interface Session {
  digest: string;
  user: UserId;
  expiresAt: Seconds;
  /** `User-Agent` of the app that opened it, where it may be kept. */
  app?: string;
}

export interface SessionStore {
  /** Creates, or replaces the one with this digest. Rejects with `missing` when there is no such user (any more). */
  save(session: Session): Promise<void>;
  /** Sets when it expires; false when it is unknown, expired or ended meanwhile: it does not come back. */
  extend(digest: string, expiresAt: Seconds): Promise<boolean>;
  /** Session and its user in one read; undefined when unknown or expired (`expiresAt <= now`). */
  find(digest: string): Promise<{ session: Session; user: User } | undefined>;
  /** Nothing happens when there is none. */
  delete(digest: string): Promise<void>;
  /** Those of a user that are not expired, the last to expire first. */
  all(user: UserId): Promise<Session[]>;
  /** Ends all of a user; answers how many were not expired. */
  endAll(user: UserId): Promise<number>;
  /** How many were removed. */
  deleteExpired(): Promise<number>;
}

/** A password that one app uses in place of the account's own. `digest` is a hash of it, as for a session. */
export interface AppPassword extends Partial<AppPasswordUse> {
  digest: string;
  user: UserId;
  /** What its owner calls it. */
  label: string;
  /** Id of the device that the app is where it names none itself; it need not exist. */
  device: string;
  createdAt: Seconds;
}

/** How an app password was last used. */
export interface AppPasswordUse {
  /** To the hour. */
  usedAt: Seconds;
  /** Network address that it was used from. */
  address: string;
  /** `User-Agent` of the app; empty where it has none, or none is to be kept. */
  app: string;
}

export interface AppPasswordStore {
  /** Rejects with `missing` when there is no such user (any more). */
  create(appPassword: AppPassword): Promise<void>;
  /** The app password and its user; undefined when it is unknown or was revoked, by whatever process. */
  find(digest: string): Promise<{ appPassword: AppPassword; user: User } | undefined>;
  /** Those of a user, the first created first. */
  all(user: UserId): Promise<AppPassword[]>;
  /** False when the user has no such app password (any more): it does not come back. */
  recordUse(user: UserId, digest: string, use: AppPasswordUse): Promise<boolean>;
  /** False when the user has no such app password. */
  revoke(user: UserId, digest: string): Promise<boolean>;
}

/** A login of an app that its user has granted in a browser, and that the app has yet to fetch. */
export interface GrantedLogin {
  /** Hash of the token that the app fetches it with. */
  digest: string;
  user: UserId;
  /** Of the app password that the app gets. */
  label: string;
  expiresAt: Seconds;
}

/** What has expired is removed in time. */
export interface LoginStore {
  /** False when there is one with this digest, whether it was taken or not. */
  grant(login: GrantedLogin): Promise<boolean>;
  /**
   * Answers it and its user once, on all nodes together; undefined when it is unknown, was taken, or has expired, and
   * when there is no such user (any more).
   */
  take(digest: string): Promise<{ login: GrantedLogin; user: User } | undefined>;
}

/** At most so many within so many seconds. */
export interface AttemptLimit {
  most: number;
  within: Seconds;
}

/**
 * Wrong passwords of the last minutes, and accounts made in the last hour, counted by key (a hash) and on all nodes
 * together. What is over is removed in time. All of it may be forgotten by `close()` where a storage belongs to one
 * process: see `createAttemptStore`.
 */
export interface AttemptStore {
  /**
   * Counts one more and answers 0; where the limit is reached, counts nothing and answers after how many seconds there
   * is room again. One step: of many at once no more than the limit are counted.
   */
  add(key: string, limit: AttemptLimit): Promise<Seconds>;
  /** What `add` would answer. */
  wait(key: string, limit: AttemptLimit): Promise<Seconds>;
  /** Takes back the last one; nothing happens when there is none. */
  refund(key: string): Promise<void>;
}
