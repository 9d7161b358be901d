import type { UserStore } from '../../../src/old-plugin.ts';
import { loginTaken, noSuchAccount } from '../errors.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';
import type { Database } from './database.ts';
import type { Logins } from './logins.ts';
import type { Removal } from './removal.ts';

const PAGE = 500;

export function createUserStore(database: Database, logins: Logins, removal: Removal): UserStore {
  const page = database.prepare<UserRow>(`SELECT ${USER} FROM users WHERE name > @after ORDER BY name LIMIT ${PAGE}`);
  const insert = database.prepare<UserRow>(
    `INSERT INTO users (name, email, password_hash, created_at, stamp)
     VALUES (@name, @email, @passwordHash, @now, @now) RETURNING ${USER}`,
  );
  const setHash = database.prepare('UPDATE users SET password_hash = @passwordHash WHERE id = @user');
  const setName = database.prepare('UPDATE users SET name = @name WHERE id = @user');
  const byId = database.prepare<UserRow>(`SELECT ${USER} FROM users WHERE id = @user`);
  const endSessions = database.prepare('DELETE FROM sessions WHERE user_id = @user');
  const remove = database.prepare('DELETE FROM users WHERE id = @user');

  return {
    create: ({ name, email, passwordHash }) =>
      database.write(() => {
        logins.refuseTaken({ name, email });
        const row = insert.get({ name, email: email ?? null, passwordHash, now: database.context.now() })!;
        logins.set(row.id, name, row.email);
        return toUser(row);
      }),

    find: (login) =>
      database.read(() => {
        const row = logins.find(login);
        return row && toUser(row);
      }),

    setPassword: (user, passwordHash) =>
      database.write(() => {
        if (setHash.run({ user, passwordHash }).changes === 0) throw noSuchAccount();
        endSessions.run({ user });
      }),

    rename: (user, name) =>
      database.write(() => {
        const row = byId.get({ user });
        if (!row) throw noSuchAccount();
        if ((logins.find(name)?.id ?? user) !== user) throw loginTaken('name');
        setName.run({ user, name });
        logins.set(user, name, row.email);
      }),

    async delete(user) {
      await database.write(() => {
        if (remove.run({ user }).changes > 0) removal.note(user);
      });
      void removal.run();
    },

    settledAt: async () => database.context.now(),

    async *all() {
      let rows: UserRow[] = [];
      do {
        const after = rows.at(-1)?.name ?? '';
        rows = await database.read(() => page.all({ after }));
        yield* rows.map(toUser);
      } while (rows.length === PAGE);
    },
  };
}
