import { type Seconds, StorageError, type UserId } from '../../../src/old-plugin.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** How long an import may stand still before it is given up: its node may be gone. */
const STANDSTILL: Seconds = 3600;

/** Accounts that are being imported. They have a number, and actions under it, and are not there for anybody. */
export interface Arrivals {
  /** Gives up those that stood still for too long, too. */
  begin(): Promise<UserId>;
  /** To be called inside each write of the import. */
  goOn(connection: Connection, user: UserId): Promise<void>;
  /** To be called inside the write that makes the account. */
  end(connection: Connection, user: UserId): Promise<void>;
  /** The account does not come: removes what is there of it. */
  giveUp(user: UserId): Promise<void>;
  /** Gives up all imports that stood still for too long. */
  tidy(): Promise<void>;
}

export function createArrivals(database: Database): Arrivals {
  const insert = database.prepare<{ id: UserId }>(
    `INSERT INTO arriving_users (id, until)
     VALUES (nextval(pg_get_serial_sequence('users', 'id')), @now + ${STANDSTILL}) RETURNING id::text AS id`,
  );
  const keep = database.prepare(`UPDATE arriving_users SET until = @now + ${STANDSTILL} WHERE id = @user`);
  const end = database.prepare('DELETE FROM arriving_users WHERE id = @user');
  const lockLate = database.prepare<{ id: UserId }>(
    'SELECT id::text AS id FROM arriving_users WHERE until < (SELECT @now) FOR UPDATE SKIP LOCKED',
  );
  const removeHistory = database.prepare('DELETE FROM actions WHERE user_id = @user');

  const remove = async (connection: Connection, user: UserId): Promise<void> => {
    if ((await end.run(connection, { user })) > 0) await removeHistory.run(connection, { user });
  };

  const tidy = (): Promise<void> =>
    database.write(async (connection) => {
      for (const { id } of await lockLate.all(connection, {})) await remove(connection, id);
    });

  return {
    async begin() {
      await tidy();
      return database.write(async (connection) => (await insert.get(connection, {}))!.id);
    },
    async goOn(connection, user) {
      if ((await keep.run(connection, { user })) === 0) throw givenUp();
    },
    async end(connection, user) {
      if ((await end.run(connection, { user })) === 0) throw givenUp();
    },
    // Where the storage closes, or is away, it goes when it has stood still for long.
    giveUp: (user) => database.write((connection) => remove(connection, user)).catch(() => undefined),
    tidy,
  };
}

const givenUp = (): StorageError =>
  new StorageError(
    'unavailable',
    'the import stood still for too long, or the storage was emptied meanwhile; try again',
  );
