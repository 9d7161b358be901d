import type { Seconds, Stamp, UserId } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** What marks and stamps are made of. */
export interface Line {
  /** Stamp of the newest change. */
  last: Stamp;
  /** The time, which never runs backwards on a line. */
  at: Seconds;
}

/**
 * The lines of stamps: one for each user, and one for the episodes of the directory. All of it to be called inside a
 * write.
 *
 * A reader that met a write under way, and was told a mark of its own time, would never hear of that write: its stamp,
 * taken earlier, is below the mark. And a time that was read before waiting for a lock, or comes from a server whose clock
 * is behind, could stamp a change below a mark that is out already. So whoever is told a time, reader or writer, takes
 * the row of the line by changing it: a reader waits for the write under way, and sees it in the statement that follows;
 * and every later time is at least the one told, whatever the clock says.
 */
export interface Stamps {
  /** Holds the user's line until the end of the transaction. Throws `missing` when there is no such user. */
  holdUser(connection: Connection, user: UserId): Promise<Line>;
  holdDirectory(connection: Connection): Promise<Line>;
  setDirectory(connection: Connection, stamp: Stamp): Promise<void>;
  /**
   * Keeps others from writing for the user until the end of the transaction, where no stamp is taken. Throws `missing`
   * when there is no such user.
   */
  lockUser(connection: Connection, user: UserId): Promise<void>;
  /** The same, but answers false when there is no such user. */
  tryLockUser(connection: Connection, user: UserId): Promise<boolean>;
}

const TELL = 'SET told_at = greatest(told_at, @now)';
const LINE = 'RETURNING stamp AS last, told_at AS at';

export function createStamps(database: Database): Stamps {
  const holdUser = database.prepare<Line>(`UPDATE users ${TELL} WHERE id = @user ${LINE}`);
  const lock = database.prepare('SELECT 1 FROM users WHERE id = @user FOR NO KEY UPDATE');
  const holdDirectory = database.prepare<Line>(`UPDATE directory ${TELL} ${LINE}`);
  const setDirectory = database.prepare('UPDATE directory SET stamp = @stamp');

  const tryLockUser: Stamps['tryLockUser'] = async (connection, user) => (await lock.run(connection, { user })) > 0;

  return {
    async holdUser(connection, user) {
      const line = await holdUser.get(connection, { user });
      if (!line) throw noSuchAccount();
      return line;
    },
    async holdDirectory(connection) {
      return (await holdDirectory.get(connection, {}))!;
    },
    async setDirectory(connection, stamp) {
      await setDirectory.run(connection, { stamp });
    },
    async lockUser(connection, user) {
      if (!(await tryLockUser(connection, user))) throw noSuchAccount();
    },
    tryLockUser,
  };
}
