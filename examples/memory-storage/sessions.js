/** @import { OpenContext, SessionStore, UserId } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** @type {(data: Data, context: OpenContext) => SessionStore} */
export function createSessionStore(data, { now }) {
  const { accounts, sessions } = data;

  /** @param {string} digest */
  const find = (digest) => {
    const session = sessions.get(digest);
    const user = session && accounts.get(session.user)?.user;
    return session && user && session.expiresAt > now() ? { session, user } : undefined;
  };

  /** @param {UserId} user */
  const openOf = (user) => [...sessions.values()].filter((each) => each.user === user && each.expiresAt > now());

  return {
    async save(session) {
      data.account(session.user);
      sessions.set(session.digest, session);
    },

    async prolong(digest, expiresAt) {
      const found = find(digest);
      if (found) sessions.set(digest, { ...found.session, expiresAt });
      return found !== undefined;
    },

    async find(digest) {
      return find(digest);
    },

    async delete(digest) {
      sessions.delete(digest);
    },

    async all(user) {
      return openOf(user).toSorted((a, b) => b.expiresAt - a.expiresAt);
    },

    async endAll(user) {
      const { length } = openOf(user);
      data.endSessions(user);
      return length;
    },

    async deleteExpired() {
      const expired = [...sessions.values()].filter(({ expiresAt }) => expiresAt <= now());
      for (const { digest } of expired) sessions.delete(digest);
      return expired.length;
    },
  };
}
