import { LRUCache } from 'lru-cache';
import type { UserId } from '../../domain/types.ts';
import { accountSessionKey, accountSessions, sessionKey, SESSIONS } from './account-keys.ts';
import type { Entry, Key, Value } from '../contract.ts';
import type { Core } from './core.ts';
import { unlessMissing } from '../store-errors.ts';
import { type Head, toUser } from './head.ts';
import { under } from '../keys.ts';
import { removeAbandoned } from './removal.ts';
import { listAll, scan } from '../rows.ts';
import type { Session, SessionStore, User } from '../stores.ts';
import type { Write } from './accounts.ts';

/** Sessions in the cache. */
const MAX_CACHED = 10_000;

/** `epoch`: see `Head`. The session has ended if its account has a later one. */
type StoredSession = Session & { epoch: number };

export function createSessionStore(core: Core): SessionStore {
  const { store, accounts, context } = core;
  /** If the store is shared, used only for the user of a session. */
  const cache = new LRUCache<string, StoredSession>({ max: MAX_CACHED });
  /** Counts writes, to detect those during a read. */
  let writes = 0;

  const read = async (digest: string): Promise<{ entry?: Entry; stored?: StoredSession }> => {
    const before = writes;
    const [entry] = await store.get([sessionKey(digest)]);
    if (!entry) return {};
    const stored = readSession(entry);
    if (writes === before) cache.set(digest, stored);
    return { entry, stored };
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

  const owner = (user: UserId): Promise<{ user: User; epoch: number } | undefined> =>
    unlessMissing(accounts.read(user, [], ({ head }) => ({ user: toUser(user, head), epoch: head.sessionEpoch })));

  const isOpen = ({ expiresAt }: Session): boolean => expiresAt > context.now();

  return {
    save: (session) =>
      change(session.digest, () =>
        accounts.write(session.user, async ({ head }) => {
          const { entry, stored } = await read(session.digest);
          const { digest, user } = session;
          return {
            result: undefined,
            write: {
              check: [[sessionKey(digest), entry?.version ?? 0]],
              set: sessionEntries(session, head.sessionEpoch),
              delete: stored && stored.user !== user ? [accountSessionKey(stored.user, digest)] : [],
            },
          };
        }),
      ),

    extend: (digest, expiresAt) =>
      change(digest, async () => {
        for (;;) {
          const { entry, stored } = await read(digest);
          if (!entry || !stored || !isOpen(stored)) return false;
          if ((await owner(stored.user))?.epoch !== stored.epoch) return false;
          const value = JSON.stringify({ ...stored, expiresAt });
          const batch = { check: [[entry.key, entry.version] as const], set: [[entry.key, value] as const] };
          if ((await store.commit(batch)) !== undefined) return true;
        }
      }),

    async find(digest) {
      const cached = cache.get(digest);
      const [stored, cachedOwner] = await Promise.all([
        cached && !store.isShared ? cached : read(digest).then((found) => found.stored),
        cached && owner(cached.user),
      ]);
      if (!stored || !isOpen(stored)) return undefined;
      const found = cached?.user === stored.user ? cachedOwner : await owner(stored.user);
      return found?.epoch === stored.epoch ? { session: toSession(stored), user: found.user } : undefined;
    },

    delete: (digest) =>
      change(digest, async () => {
        for (;;) {
          const { entry, stored } = await read(digest);
          if (!entry || !stored) return;
          const keys = [entry.key, accountSessionKey(stored.user, digest)];
          const batch = { check: [[entry.key, entry.version] as const], delete: keys };
          if ((await store.commit(batch)) !== undefined) return;
        }
      }),

    async all(user) {
      const found = await owner(user);
      const sessions = found ? await readSessions(core, user, found.epoch) : [];
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
      for await (const page of scan(store, under(SESSIONS))) {
        count += page.filter((entry) => isOpen(readSession(entry))).length;
      }
      return count;
    },

    async deleteExpired() {
      let count = 0;
      for await (const page of scan(store, under(SESSIONS))) {
        for (let left = page; left.length > 0;) {
          const expired = left.filter((entry) => !isOpen(readSession(entry)));
          const keys = expired.flatMap((entry) => {
            const { user, digest } = readSession(entry);
            cache.delete(digest);
            return [entry.key, accountSessionKey(user, digest)];
          });
          const check = expired.map(({ key, version }) => [key, version] as const);
          writes += 1;
          const isDone = expired.length === 0 || (await store.commit({ check, delete: keys })) !== undefined;
          writes += 1;
          if (isDone) count += expired.length;
          // Otherwise one of them was extended or ended concurrently.
          left = isDone ? [] : (await store.get(expired.map(({ key }) => key))).filter((entry) => entry !== undefined);
        }
      }
      await removeAbandoned(core);
      return count;
    },
  };
}

/** The entries of a session; `epoch`: see `Head`. */
export const sessionEntries = (session: Session, epoch: number): [Key, Value][] => [
  [sessionKey(session.digest), JSON.stringify({ ...toSession(session), epoch } satisfies StoredSession)],
  [accountSessionKey(session.user, session.digest), JSON.stringify({ digest: session.digest })],
];

const readSession = ({ value }: Entry): StoredSession => JSON.parse(value) as StoredSession;

const toSession = ({ digest, user, expiresAt, app }: Session): Session => ({
  digest,
  user,
  expiresAt,
  ...(app !== undefined && { app }),
});

/** The sessions of an account that were not ended, including expired ones that are not removed yet. */
export async function readSessions({ store }: Core, user: UserId, epoch: number): Promise<Session[]> {
  const index = await listAll(store, under(accountSessions(user)));
  const digests = index.map(({ value }) => (JSON.parse(value) as { digest: string }).digest);
  const stored = (await store.get(digests.map(sessionKey))).flatMap((entry) => (entry ? readSession(entry) : []));
  return stored.filter((session) => session.user === user && session.epoch === epoch).map(toSession);
}

/** The write that ends all sessions of an account, and the sessions. */
export async function endSessions(
  core: Core,
  user: UserId,
  { sessionEpoch }: Head,
): Promise<{ sessions: Session[]; write: Write }> {
  const sessions = await readSessions(core, user, sessionEpoch);
  const keys = sessions.flatMap(({ digest }) => [sessionKey(digest), accountSessionKey(user, digest)]);
  return { sessions, write: { head: { sessionEpoch: sessionEpoch + 1 }, delete: keys } };
}
