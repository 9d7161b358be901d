import type { Session, SessionStore, UserId } from '../../src/plugin.ts';
import type { Database } from './database.ts';

export const createSessionStore = (database: Database): SessionStore => ({
  save: async (session) => {
    database.registry.user(session.user);
    await database.write({ registry: [{ kind: 'session', session }] });
  },

  find: async (digest) => {
    const session = database.registry.sessions.get(digest);
    const user = session && database.registry.users.get(session.user);
    return session && user && session.expiresAt > database.context.now() ? { session, user } : undefined;
  },

  delete: async (digest) => {
    if (database.registry.sessions.has(digest)) await database.write({ registry: [{ kind: 'end-session', digest }] });
  },

  all: async (user) => openSessions(database, user),

  endAll: async (user) => {
    const { length } = openSessions(database, user);
    await database.write({ registry: [{ kind: 'end-sessions', user }] });
    return length;
  },

  deleteExpired: async () => {
    const now = database.context.now();
    const expired = [...database.registry.sessions.values()].filter(({ expiresAt }) => expiresAt <= now);
    if (expired.length > 0) {
      await database.write({ registry: expired.map(({ digest }) => ({ kind: 'end-session', digest })) });
    }
    return expired.length;
  },
});

const openSessions = ({ registry, context }: Database, user: UserId): Session[] => {
  const now = context.now();
  const open = [...registry.sessions.values()].filter((session) => session.user === user && session.expiresAt > now);
  return open.toSorted((a, b) => b.expiresAt - a.expiresAt);
};
