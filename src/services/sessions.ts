import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { Refusal } from '../domain/errors.ts';
import type { Seconds, UserId } from '../domain/types.ts';
import type { SessionStore, User } from '../storage/stores.ts';
import { isStorageError } from '../storage/errors.ts';

/** Long, because one client library asks for its password only three times in its life. */
export const SESSION_LIFE: Seconds = 365 * 86_400;
/** A session in use is prolonged at most this often. */
const PROLONGED_EVERY: Seconds = 86_400;
/**
 * A client that keeps no cookies gets the same session again for this long: with a new one every few minutes it would
 * soon end those that others use.
 */
const REUSED_FOR: Seconds = 86_400;
/** Sessions of one user. Beyond that, those that were not used for longest end. */
const MOST = 100;

export interface Sessions {
  /**
   * Token of a session. The same `client` (any text that tells clients apart) gets the one of the last day again.
   * Throws `unauthenticated` where the user has another password meanwhile.
   */
  open(user: User, client: string): Promise<string>;
  /** Its user, and whether the session was prolonged just now; undefined when there is no such session (any more). */
  find(token: string): Promise<{ user: User; prolonged: boolean } | undefined>;
  end(token: string): Promise<void>;
  /** Those of a user, the last used first. */
  all(user: UserId): Promise<OpenSession[]>;
  /** Ends all of a user; answers how many. */
  endAll(user: UserId): Promise<number>;
  /** Removes those that are over; answers how many. */
  sweep(): Promise<number>;
}

export interface OpenSession {
  /** To the day: a session in use is written down once a day. */
  usedAt: Seconds;
  expiresAt: Seconds;
}

export function createSessions(store: SessionStore, now: Clock): Sessions {
  /** Those being opened, too: of many requests at once the first opens one for all. */
  const reusable = new LRUCache<string, ReturnType<typeof start>>({ max: 10_000 });
  /** False where there is no room for it: the session holds all the same, and is prolonged later. */
  const prolong = async (digest: string): Promise<boolean> => {
    try {
      return await store.prolong(digest, now() + SESSION_LIFE);
    } catch (error) {
      if (isStorageError(error, 'full')) return false;
      throw error;
    }
  };
  const start = async ({ id, passwordHash }: User): Promise<{ token: string; digest: string }> => {
    const token = randomBytes(24).toString('base64url');
    const digest = digestOf(token);
    await store.save({ digest, user: id, expiresAt: now() + SESSION_LIFE });
    // A new password ends all sessions, and this one may have come between the two.
    if ((await store.find(digest))?.user.passwordHash !== passwordHash) {
      await store.delete(digest);
      throw new Refusal('unauthenticated', 'the password was changed just now; log in with the new one');
    }
    const others = (await store.all(id)).filter((each) => each.digest !== digest);
    for (const unused of others.slice(MOST - 1)) await store.delete(unused.digest);
    return { token, digest };
  };

  return {
    async open(user, client) {
      const key = digestOf(`${user.id} ${user.passwordHash} ${client}`); // anybody may call a client by kilobytes
      const recent = reusable.get(key);
      if (recent) {
        const { token, digest } = await recent;
        const found = await store.find(digest);
        if (found && found.session.expiresAt > now() + SESSION_LIFE - REUSED_FOR) return token;
      }
      const started = start(user);
      reusable.set(key, started);
      started.catch(() => reusable.delete(key));
      return (await started).token;
    },

    async find(token) {
      const digest = digestOf(token);
      const found = await store.find(digest);
      if (!found) return undefined;
      const isDue = found.session.expiresAt < now() + SESSION_LIFE - PROLONGED_EVERY;
      return { user: found.user, prolonged: isDue && (await prolong(digest)) };
    },

    end: (token) => store.delete(digestOf(token)),

    async all(user) {
      const open = await store.all(user);
      return open.map(({ expiresAt }) => ({ usedAt: expiresAt - SESSION_LIFE, expiresAt }));
    },

    endAll: (user) => store.endAll(user),

    sweep: () => store.deleteExpired(),
  };
}

/** Of a token: what is stored opens no session. */
const digestOf = (text: string): string => hash('sha256', text, 'base64url');
