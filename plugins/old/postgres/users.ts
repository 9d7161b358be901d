import type { UserStore } from '../../../src/old-plugin.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Logins } from './logins.ts';
import type { Stamps } from './stamps.ts';

const PAGE = 500;

export function createUserStore(database: Database, stamps: Stamps, directory: Directory, logins: Logins): UserStore {
  const page = database.prepare<UserRow>(`SELECT ${USER} FROM users WHERE name > @after ORDER BY name LIMIT ${PAGE}`);
  const insert = database.prepare<UserRow>(
    `INSERT INTO users (name, email, password_hash, created_at, stamp, told_at)
     SELECT @name, @email, @passwordHash, at, at, at FROM (SELECT @now AS at) AS clock RETURNING ${USER}`,
  );
  const setHash = database.prepare('UPDATE users SET password_hash = @passwordHash WHERE id = @user');
  const setName = database.prepare<UserRow>(`UPDATE users SET name = @name WHERE id = @user RETURNING ${USER}`);
  const endSessions = database.prepare('DELETE FROM sessions WHERE user_id = @user');
  // Before the podcasts, as uploads do.
  const lock = database.prepare('SELECT 1 FROM users WHERE id = @user FOR UPDATE');
  const removeHistory = database.prepare('DELETE FROM actions WHERE user_id = @user');
  const remove = database.prepare('DELETE FROM users WHERE id = @user');

  return {
    create: ({ name, email, passwordHash }) =>
      database.write(async (connection) => {
        const row = (await insert.get(connection, { name, email, passwordHash }))!;
        await logins.set(connection, row.id, row);
        return toUser(row);
      }),

    find: (login) =>
      database.read(async (connection) => {
        const row = await logins.find(connection, login);
        return row && toUser(row);
      }),

    setPassword: (user, passwordHash) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        await setHash.run(connection, { user, passwordHash });
        await endSessions.run(connection, { user });
      }),

    rename: (user, name) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        await logins.set(connection, user, (await setName.get(connection, { user, name }))!);
      }),

    delete: (user) =>
      database.writeFor(user, async (connection) => {
        if ((await lock.run(connection, { user })) === 0) return;
        await directory.unfollowAll(connection, user);
        await removeHistory.run(connection, { user });
        await remove.run(connection, { user });
      }),

    settledAt: (user) => database.writeFor(user, async (connection) => (await stamps.holdUser(connection, user)).at),

    async *all() {
      let rows: UserRow[] = [];
      do {
        const after = rows.at(-1)?.name ?? '';
        rows = await database.read((connection) => page.all(connection, { after }));
        yield* rows.map(toUser);
      } while (rows.length === PAGE);
    },
  };
}
