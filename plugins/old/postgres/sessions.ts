import type { Seconds, Session, SessionStore, UserId } from '../../../src/old-plugin.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Stamps } from './stamps.ts';

export function createSessionStore(database: Database, stamps: Stamps): SessionStore {
  const leave = database.prepare('DELETE FROM sessions WHERE digest = @digest AND user_id <> @user');
  const save = database.prepare(
    `INSERT INTO sessions (user_id, digest, expires_at) VALUES (@user, @digest, @expiresAt)
     ON CONFLICT (user_id, digest) DO UPDATE SET expires_at = excluded.expires_at`,
  );
  const prolong = database.prepare(
    'UPDATE sessions SET expires_at = @expiresAt WHERE digest = @digest AND expires_at > (SELECT @now)',
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
  const removeExpired = database.prepare('DELETE FROM sessions WHERE expires_at <= (SELECT @now)');

  const open = async (connection: Connection, user: UserId): Promise<Session[]> =>
    (await all.all(connection, { user })).map(({ digest, expires_at }) => ({ digest, user, expiresAt: expires_at }));

  return {
    save: (session) =>
      database.writeFor(session.user, async (connection) => {
        await stamps.lockUser(connection, session.user); // a change of the password ends it, or is seen after it
        await leave.run(connection, { ...session });
        await save.run(connection, { ...session });
      }),

    prolong: (digest, expiresAt) =>
      database.write(async (connection) => (await prolong.run(connection, { digest, expiresAt })) > 0),

    find: (digest) =>
      database.read(async (connection) => {
        const row = await find.get(connection, { digest });
        return row && { session: { digest, user: row.id as UserId, expiresAt: row.expires_at }, user: toUser(row) };
      }),

    delete: (digest) => database.write(async (connection) => void (await remove.run(connection, { digest }))),

    all: (user) => database.read((connection) => open(connection, user)),

    endAll: (user) =>
      database.write(async (connection) => {
        const { length } = await open(connection, user);
        await removeAll.run(connection, { user });
        return length;
      }),

    deleteExpired: () => database.write((connection) => removeExpired.run(connection, {})),
  };
}
