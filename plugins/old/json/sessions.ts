import type { Session, SessionStore, User, UserId } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';

export const createSessionStore = (database: Database): SessionStore => ({
  async save(session) {
    database.registry.user(session.user);
    await database.write({ registry: [{ kind: 'session', session }] });
  },

  async prolong(digest, expiresAt) {
    if (!find(database, digest)) return false;
    await database.write({ registry: [{ kind: 'prolong-session', digest, expiresAt }] });
    return database.registry.sessions.has(digest);
  },

  find: async (digest) => find(database, digest),

  async delete(digest) {
    if (database.registry.sessions.has(digest)) await database.write({ registry: [{ kind: 'end-session', digest }] });
  },

  all: async (user) => openSessions(database, user),

  async endAll(user) {
    const { length } = openSessions(database, user);
    await database.write({ registry: [{ kind: 'end-sessions', user }] });
    return length;
  },

  async deleteExpired() {
    const { sessions } = database.registry;
    const now = database.context.now();
    const expired = [...sessions.values()].filter(({ expiresAt }) => expiresAt <= now);
    if (expired.length > 0) await database.write({ registry: [{ kind: 'end-expired', at: now }] });
    return expired.filter(({ digest }) => !sessions.has(digest)).length; // the others were prolonged meanwhile
  },
});

const find = ({ registry, context }: Database, digest: string): { session: Session; user: User } | undefined => {
  const session = registry.sessions.get(digest);
  const user = session && registry.users.get(session.user);
  return session && user && session.expiresAt > context.now() ? { session, user } : undefined;
};

const openSessions = ({ registry, context }: Database, user: UserId): Session[] => {
  const now = context.now();
  const open = [...registry.sessions.values()].filter((session) => session.user === user && session.expiresAt > now);
  return open.toSorted((a, b) => b.expiresAt - a.expiresAt);
};
