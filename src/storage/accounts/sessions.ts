import { LRUCache } from 'lru-cache';
import type { UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import type { Core } from '../core.ts';
import { unlessMissing } from '../errors.ts';
import { scan } from '../rows.ts';
import type { Session, SessionStore, User } from '../stores.ts';
import { readValue, updateValue, valueOf, valuesOf } from '../values.ts';
import type { Write } from './accounts.ts';
import { SESSIONS, type StoredSession } from './digest-table.ts';
import { type Head, toUser } from './head.ts';

/** Sessions in the cache. */
const MAX_CACHED = 10_000;

export function createSessionStore(core: Core): SessionStore {
  const { store, accounts, context } = core;
  /** If the store is shared, used only for the user of a session. */
  const cache = new LRUCache<string, StoredSession>(atMost(MAX_CACHED));
  /** Counts writes, to detect those during a read. */
  let writes = 0;

  const read = async (digest: string): Promise<StoredSession | undefined> => {
    const before = writes;
    const stored = await readValue<StoredSession>(store, SESSIONS.key(digest));
    if (stored && writes === before) cache.set(digest, stored);
    return stored;
  };

  /** Runs a write and evicts the session from the cache. */
  const change = async <T>(digest: string, write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } finally {
      writes += 1;
      cache.delete(digest);
    }
  };

  const isOpen = ({ expiresAt }: Session): boolean => expiresAt > context.now();

  /** The session with its user, unless it has ended. */
  const toOpenSession = (stored: StoredSession, head: Head | undefined): { session: Session; user: User } | undefined =>
    isOpen(stored) && head?.sessionEpoch === stored.epoch
      ? { session: toSession(stored), user: toUser(stored.user, head) }
      : undefined;

  return {
    save: (session) =>
      change(session.digest, () =>
        accounts.write(session.user, async ({ head }) => {
          const { digest, user } = session;
          const [entry] = await store.get([SESSIONS.key(digest)]);
          const before = entry && valueOf<Session>(entry);
          return {
            result: undefined,
            write: {
              check: [[SESSIONS.key(digest), entry?.version ?? 0]],
              set: SESSIONS.entries({ ...session, epoch: head.sessionEpoch }),
              delete: before && before.user !== user ? [SESSIONS.indexKey(before)] : [],
            },
          };
        }),
      ),

    update: (digest, fields) =>
      change(digest, () =>
        updateValue<StoredSession, boolean>(store, SESSIONS.key(digest), async (stored) => {
          const open = stored && toOpenSession(stored, await accounts.findHead(stored.user));
          return open ? { result: true, value: { ...stored, ...fields } } : { result: false };
        }),
      ),

    async find(digest) {
      const cached = cache.get(digest);
      if (cached && !store.isShared) return toOpenSession(cached, await accounts.findHead(cached.user));
      const [stored, cachedHead] = await Promise.all([read(digest), cached && accounts.findHead(cached.user)]);
      if (!stored) return undefined;
      return toOpenSession(stored, cached?.user === stored.user ? cachedHead : await accounts.findHead(stored.user));
    },

    delete: (digest) =>
      change(digest, () =>
        updateValue<StoredSession>(store, SESSIONS.key(digest), (stored) => ({
          result: undefined,
          delete: stored ? SESSIONS.keys(stored) : [],
        })),
      ),

    async all(user) {
      const head = await accounts.findHead(user);
      const sessions = head ? await readSessions(core, user, head.sessionEpoch) : [];
      return sessions.filter(isOpen).toSorted((a, b) => b.expiresAt - a.expiresAt);
    },

    async endAll(user) {
      const ended = accounts.write(user, async ({ head }) => {
        const { sessions, write } = await endSessions(core, user, head);
        return { result: sessions.filter(isOpen).length, write };
      });
      return (await unlessMissing(ended)) ?? 0;
    },

    async count() {
      let count = 0;
      for await (const page of scan(store, SESSIONS.prefix)) {
        count += valuesOf<Session>(page).filter(isOpen).length;
      }
      return count;
    },

    async deleteExpired() {
      let count = 0;
      for await (const page of scan(store, SESSIONS.prefix)) {
        const expired = page.filter((entry) => !isOpen(valueOf(entry)));
        if (expired.length === 0) continue;
        const version = await store.commit({
          check: expired.map((entry) => [entry.key, entry.version]),
          delete: valuesOf<Session>(expired).flatMap(SESSIONS.keys),
        });
        // If one of them was extended or ended concurrently, the others are removed next time.
        if (version !== undefined) count += expired.length;
      }
      return count;
    },
  };
}

function toSession(stored: StoredSession): Session {
  const { epoch: _, ...session } = stored;
  return session;
}

/** The sessions of an account that were not ended, including expired ones that are not removed yet. */
export async function readSessions({ store }: Core, user: UserId, epoch: number): Promise<Session[]> {
  const stored = await SESSIONS.read(store, user);
  return stored.filter((session) => session.epoch === epoch).map(toSession);
}

/** The write that ends all sessions of an account, and the sessions. */
export async function endSessions(
  core: Core,
  user: UserId,
  { sessionEpoch }: Head,
): Promise<{ sessions: Session[]; write: Write }> {
  const sessions = await readSessions(core, user, sessionEpoch);
  return { sessions, write: { head: { sessionEpoch: sessionEpoch + 1 }, delete: sessions.flatMap(SESSIONS.keys) } };
}
