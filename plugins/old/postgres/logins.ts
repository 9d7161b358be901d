import { loginTaken } from '../errors.ts';
import { USER, type UserRow } from '../sql/user-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

type Named = Pick<UserRow, 'name' | 'email'>;

/** Names and e-mail addresses, one space without case. */
export interface Logins {
  find(connection: Connection, login: string): Promise<UserRow | undefined>;
  /** Throws `conflict` when another account has the name or the e-mail address. */
  refuseTaken(connection: Connection, user: Named): Promise<void>;
  /** The same, and takes them. To be called inside a write. */
  set(connection: Connection, id: string, user: Named): Promise<void>;
}

export function createLogins(database: Database): Logins {
  const byLogin = database.prepare<UserRow>(
    `SELECT ${USER} FROM logins JOIN users ON users.id = logins.user_id WHERE login = @login`,
  );
  const taken = database.prepare<{ login: string }>('SELECT login FROM logins WHERE login = ANY(@logins::text[])');
  // Sorted, so that no two wait for each other.
  const insert = database.prepare<{ login: string }>(
    `INSERT INTO logins (login, user_id) SELECT login, @id FROM unnest(@logins::text[]) AS login ORDER BY login COLLATE "C"
     ON CONFLICT DO NOTHING RETURNING login`,
  );
  const remove = database.prepare('DELETE FROM logins WHERE user_id = @id');

  return {
    find: (connection, login) => byLogin.get(connection, { login: login.toLowerCase() }),
    async refuseTaken(connection, user) {
      const rows = await taken.all(connection, { logins: loginsOf(user) });
      refuse(user, (login) => rows.some((row) => row.login === login));
    },
    async set(connection, id, user) {
      await remove.run(connection, { id });
      const rows = await insert.all(connection, { id, logins: loginsOf(user) });
      refuse(user, (login) => !rows.some((row) => row.login === login));
    },
  };
}

/** A name and an e-mail address may be the same text. */
const loginsOf = ({ name, email }: Named): string[] => [
  ...new Set([name, email ?? name].map((login) => login.toLowerCase())),
];

/** Throws `conflict` when a name or e-mail address of the user is taken. */
function refuse(user: Named, isTaken: (login: string) => boolean): void {
  const login = loginsOf(user).find(isTaken);
  if (login === undefined) return;
  const what = login === user.name.toLowerCase() ? 'name' : 'e-mail address';
  throw loginTaken(what);
}
