import type { Seconds, Session, SessionStore, UserId } from '../../../src/old-plugin.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';
import type { Database } from './database.ts';

export function createSessionStore(database: Database): SessionStore {
  const save = database.prepare(
    `INSERT INTO sessions (digest, user_id, expires_at) VALUES (@digest, @user, @expiresAt)
     ON CONFLICT (digest) DO UPDATE SET user_id = excluded.user_id, expires_at = excluded.expires_at`,
  );
  const prolong = database.prepare(
    'UPDATE sessions SET expires_at = @expiresAt WHERE digest = @digest AND expires_at > @now',
  );
  const find = database.prepare<UserRow & { expires_at: Seconds }>(
    `SELECT ${USER}, expires_at FROM sessions JOIN users ON users.id = sessions.user_id
     WHERE digest = @digest AND expires_at > @now`,
  );
  const remove = database.prepare('DELETE FROM sessions WHERE digest = @digest');
  const all = database.prepare<{ digest: string; expires_at: Seconds }>(
    'SELECT digest, expires_at FROM sessions WHERE user_id = @user AND expires_at > @now ORDER BY expires_at DESC',
  );
  const removeAll = database.prepare('DELETE FROM sessions WHERE user_id = @user');
  const removeExpired = database.prepare('DELETE FROM sessions WHERE expires_at <= @now');

  const open = (user: UserId): Session[] =>
    all
      .all({ user, now: database.context.now() })
      .map(({ digest, expires_at }) => ({ digest, user, expiresAt: expires_at }));

  return {
    save: (session) => database.write(() => void save.run({ ...session })),

    prolong: (digest, expiresAt) =>
      database.write(() => prolong.run({ digest, expiresAt, now: database.context.now() }).changes > 0),

    find: (digest) =>
      database.read(() => {
        const row = find.get({ digest, now: database.context.now() });
        return row && { session: { digest, user: row.id as UserId, expiresAt: row.expires_at }, user: toUser(row) };
      }),

    delete: (digest) => database.write(() => void remove.run({ digest })),

    all: (user) => database.read(() => open(user)),

    endAll: (user) =>
      database.write(() => {
        const { length } = open(user);
        removeAll.run({ user });
        return length;
      }),

    deleteExpired: () => database.write(() => removeExpired.run({ now: database.context.now() }).changes),
  };
}
