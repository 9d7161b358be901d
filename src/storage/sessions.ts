import { LRUCache } from 'lru-cache';
import type { UserId } from '../domain/types.ts';
import { accountSessionKey, accountSessions, sessionKey, SESSIONS } from './account-keys.ts';
import type { Entry, Key, Value } from './contract.ts';
import type { Core } from './core.ts';
import { unlessMissing } from './failures.ts';
import { type Head, toUser } from './head.ts';
import { under } from './keys.ts';
import { removeAbandoned } from './removal.ts';
import { listAll, scan } from './rows.ts';
import type { Session, SessionStore, User } from './stores.ts';
import type { Write } from './transaction.ts';

/** Sessions that are kept in memory. */
const KNOWN = 10_000;

/** `login`: that of the head when it was saved; it has ended when the head has a higher one. */
type StoredSession = Session & { login: number };

export function createSessionStore(core: Core): SessionStore {
  const { store, accounts, context } = core;
  /** Where other processes may write, only whose they are is taken from here. */
  const known = new LRUCache<string, StoredSession>({ max: KNOWN });
  /** Counts what may have changed a session while another was read. */
  let writes = 0;

  const read = async (digest: string): Promise<{ entry?: Entry; stored?: StoredSession }> => {
    const before = writes;
    const [entry] = await store.get([sessionKey(digest)]);
    if (!entry) return {};
    const stored = readSession(entry);
    if (writes === before) known.set(digest, stored);
    return { entry, stored };
  };

  /** Runs a write after which what is known of the session may be wrong. */
  const change = async <T>(digest: string, write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } finally {
      writes += 1;
      known.delete(digest);
    }
  };

  const owner = (user: UserId): Promise<{ user: User; login: number } | undefined> =>
    unlessMissing(accounts.read(user, [], ({ head }) => ({ user: toUser(user, head), login: head.login })));

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
              set: sessionEntries(session, head.login),
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
          if ((await owner(stored.user))?.login !== stored.login) return false;
          const value = JSON.stringify({ ...stored, expiresAt });
          const batch = { check: [[entry.key, entry.version] as const], set: [[entry.key, value] as const] };
          if ((await store.commit(batch)) !== undefined) return true;
        }
      }),

    async find(digest) {
      const guess = known.get(digest);
      const [stored, guessed] = await Promise.all([
        guess && !store.isShared ? guess : read(digest).then((found) => found.stored),
        guess && owner(guess.user),
      ]);
      if (!stored || !isOpen(stored)) return undefined;
      const found = guess?.user === stored.user ? guessed : await owner(stored.user);
      return found?.login === stored.login ? { session: toSession(stored), user: found.user } : undefined;
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
      const sessions = found ? await readSessions(core, user, found.login) : [];
      return sessions.filter(isOpen).toSorted((a, b) => b.expiresAt - a.expiresAt);
    },

    async endAll(user) {
      const ended = accounts.write(user, async ({ head }) => {
        const { sessions, write } = await endSessions(core, user, head);
        return { result: sessions.filter(isOpen).length, write };
      });
      return (await unlessMissing(ended)) ?? 0;
    },

    async deleteExpired() {
      let count = 0;
      for await (const page of scan(store, under(SESSIONS))) {
        for (let left = page; left.length > 0;) {
          const expired = left.filter((entry) => !isOpen(readSession(entry)));
          const keys = expired.flatMap((entry) => {
            const { user, digest } = readSession(entry);
            known.delete(digest);
            return [entry.key, accountSessionKey(user, digest)];
          });
          const check = expired.map(({ key, version }) => [key, version] as const);
          writes += 1;
          const isDone = expired.length === 0 || (await store.commit({ check, delete: keys })) !== undefined;
          writes += 1;
          if (isDone) count += expired.length;
          // Otherwise one of them was extended or ended meanwhile.
          left = isDone ? [] : (await store.get(expired.map(({ key }) => key))).filter((entry) => entry !== undefined);
        }
      }
      await removeAbandoned(core);
      return count;
    },
  };
}

/** What it takes to store a session; `login`: see `Head`. */
export const sessionEntries = (session: Session, login: number): [Key, Value][] => [
  [sessionKey(session.digest), JSON.stringify({ ...toSession(session), login } satisfies StoredSession)],
  [accountSessionKey(session.user, session.digest), JSON.stringify({ digest: session.digest })],
];

const readSession = ({ value }: Entry): StoredSession => JSON.parse(value) as StoredSession;

const toSession = ({ digest, user, expiresAt, app }: Session): Session => ({
  digest,
  user,
  expiresAt,
  ...(app !== undefined && { app }),
});

/** Those of an account that have not been ended, expired ones too until they are removed. */
export async function readSessions({ store }: Core, user: UserId, login: number): Promise<Session[]> {
  const index = await listAll(store, under(accountSessions(user)));
  const digests = index.map(({ value }) => (JSON.parse(value) as { digest: string }).digest);
  const stored = (await store.get(digests.map(sessionKey))).flatMap((entry) => (entry ? readSession(entry) : []));
  return stored.filter((session) => session.user === user && session.login === login).map(toSession);
}

/** What ends all sessions of an account, and these. */
export async function endSessions(
  core: Core,
  user: UserId,
  { login }: Head,
): Promise<{ sessions: Session[]; write: Write }> {
  const sessions = await readSessions(core, user, login);
  const keys = sessions.flatMap(({ digest }) => [sessionKey(digest), accountSessionKey(user, digest)]);
  return { sessions, write: { head: { login: login + 1 }, delete: keys } };
}
