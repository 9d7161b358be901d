import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { Refusal } from '../../domain/errors.ts';
import { digestOf } from '../../domain/secret.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { SessionStore, SettingStore, User } from '../../storage/stores.ts';
import { cutAppName, storedAppName } from '../sync/app-name.ts';

/** Long, because one client library asks for its password only three times in its life. */
export const SESSION_LIFE: Seconds = 365 * 86_400;
/** A session in use is extended at most this often. */
const EXTENDED_EVERY: Seconds = 86_400;
/**
 * A client without cookies gets the same session again for this long: if it opened a new one every few minutes, it would
 * soon push out the sessions of other apps.
 */
const REUSED_FOR: Seconds = 86_400;
/** Sessions of one user. Beyond that, the least recently used ones end. */
const MAX_SESSIONS = 100;

export interface Sessions {
  /**
   * Token of a session. The same app at the same address gets the token of the last day again. `isNew`: a session of its
   * own, as for a browser: signing out there must not end the session of another browser of the same kind. Throws
   * `unauthenticated` if the password was changed meanwhile.
   */
  open(user: User, client: SessionClient, options?: { isNew?: boolean }): Promise<string>;
  /** The user, and whether the session was extended just now; undefined if the session does not exist or has ended. */
  find(token: string): Promise<{ user: User; extended: boolean } | undefined>;
  end(token: string): Promise<void>;
  /** Ends one session of a user by its id, if it exists. */
  endOne(user: UserId, id: string): Promise<void>;
  /** Ends all sessions of a user except the one with this id. */
  endOthers(user: UserId, id: string | undefined): Promise<void>;
  /** The sessions of a user, the most recently used first. */
  all(user: UserId): Promise<OpenSession[]>;
  /** Ends all sessions of a user; returns how many. */
  endAll(user: UserId): Promise<number>;
}

export interface SessionClient {
  address: string;
  /** Its `User-Agent`; empty if it sends none. */
  app: string;
}

export interface OpenSession {
  /** Identifies the session to its owner; grants no access. */
  id: string;
  /** `User-Agent` of the app that opened it; undefined if unknown. */
  app?: string;
  /** Accurate to the day: the use of a session is stored once a day. */
  usedAt: Seconds;
  expiresAt: Seconds;
}

export function createSessions(store: SessionStore, settings: Pick<SettingStore, 'get'>, now: Clock): Sessions {
  /** Includes sessions that are being opened: of many simultaneous requests the first opens one for all. */
  const reusable = new LRUCache<string, ReturnType<typeof start>>(atMost(10_000));
  /** False if the storage is full: the session stays valid and is extended later. */
  const extend = async (digest: string): Promise<boolean> => {
    try {
      return await store.update(digest, { expiresAt: now() + SESSION_LIFE });
    } catch (error) {
      if (isStorageError(error, 'full')) return false;
      throw error;
    }
  };
  const start = async ({ id, passwordHash }: User, app: string): Promise<{ token: string; digest: string }> => {
    const token = randomBytes(24).toString('base64url');
    const digest = digestOf(token);
    const kept = app && (await storedAppName(settings, id, app));
    const session = { digest, user: id, expiresAt: now() + SESSION_LIFE };
    await store.save({ ...session, ...(kept && { app: kept }) });
    // A new password ends all sessions, and this one may have been opened during the change.
    if ((await store.find(digest))?.user.passwordHash !== passwordHash) {
      await store.delete(digest);
      throw new Refusal('unauthenticated', 'the password was changed just now; log in with the new one');
    }
    const others = (await store.all(id)).filter((each) => each.digest !== digest);
    for (const unused of others.slice(MAX_SESSIONS - 1)) await store.delete(unused.digest);
    return { token, digest };
  };

  return {
    async open(user, { address, app }, { isNew = false } = {}) {
      if (isNew) return (await start(user, app)).token;
      const key = `${user.id} ${user.passwordHash} ${address} ${cutAppName(app)}`;
      const recent = reusable.get(key);
      if (recent) {
        const { token, digest } = await recent;
        const found = await store.find(digest);
        if (found && found.session.expiresAt > now() + SESSION_LIFE - REUSED_FOR) return token;
      }
      const started = start(user, app);
      reusable.set(key, started);
      started.catch(() => reusable.delete(key));
      return (await started).token;
    },

    async find(token) {
      const digest = digestOf(token);
      const found = await store.find(digest);
      if (!found) return undefined;
      const isDue = found.session.expiresAt < now() + SESSION_LIFE - EXTENDED_EVERY;
      return { user: found.user, extended: isDue && (await extend(digest)) };
    },

    end: (token) => store.delete(digestOf(token)),

    async endOne(user, id) {
      const session = (await store.all(user)).find(({ digest }) => idOf(digest) === id);
      if (session) await store.delete(session.digest);
    },

    async endOthers(user, id) {
      for (const { digest } of await store.all(user)) if (idOf(digest) !== id) await store.delete(digest);
    },

    async all(user) {
      const open = await store.all(user);
      return open.map(({ digest, expiresAt, app }) => ({
        id: idOf(digest),
        usedAt: expiresAt - SESSION_LIFE,
        expiresAt,
        ...(app !== undefined && { app }),
      }));
    },

    endAll: (user) => store.endAll(user),
  };
}

/** See `OpenSession`. */
export const sessionId = (token: string): string => idOf(digestOf(token));

const idOf = (digest: string): string => digest.slice(0, 16);
