import { loginTaken } from '../errors.ts';
import { USER, type UserRow } from '../sql/user-row.ts';
import type { Database } from './database.ts';

/** Names and e-mail addresses, one space without case. All of it to be called inside a read or a write. */
export interface Logins {
  find(login: string): UserRow | undefined;
  /** Throws `conflict` when another account has the name or the e-mail address. */
  refuseTaken(user: { name: string; email?: string | undefined }): void;
  /** A name and an e-mail address may be the same text. */
  set(id: string, name: string, email: string | null): void;
}

export function createLogins(database: Database): Logins {
  const byLogin = database.prepare<UserRow>(
    `SELECT ${USER} FROM logins JOIN users ON users.id = logins.user_id WHERE login = @login`,
  );
  const insert = database.prepare('INSERT OR IGNORE INTO logins (login, user_id) VALUES (@login, @id)');
  const remove = database.prepare('DELETE FROM logins WHERE user_id = @id');

  const find: Logins['find'] = (login) => byLogin.get({ login: login.toLowerCase() });

  return {
    find,
    refuseTaken({ name, email }) {
      if (find(name)) throw loginTaken('name');
      if (email !== undefined && find(email)) throw loginTaken('e-mail address');
    },
    set(id, name, email) {
      remove.run({ id });
      for (const login of [name, email ?? name]) insert.run({ login: login.toLowerCase(), id });
    },
  };
}
