import { type Stamp, StorageError, type UserId } from '../../src/plugin.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Removal } from './removal.ts';
import { fromColumn } from './text.ts';

/** Accounts that are being imported. At first they have a number, and actions under it, and are not there for anybody. */
export interface Arrivals {
  begin(): Promise<UserId>;
  /** To be called inside the write that makes the account. Throws when the storage was emptied meanwhile. */
  expect(user: UserId): void;
  /**
   * The account is there: now the directory hears which episodes it acted on, among the writes of others. It takes long,
   * and does not fail: what is left follows after the next start.
   */
  finish(user: UserId): Promise<void>;
  /** The account does not come: what is there of it goes. */
  giveUp(user: UserId): Promise<void>;
  /** Brings to an end what was cut short. Before any import begins. */
  resume(): Promise<void>;
}

interface Place {
  stamp: Stamp;
  place: number;
}

/** So many actions are looked at in one go. */
const SLICE = 2000;

export function createArrivals(database: Database, directory: Directory, removal: Removal): Arrivals {
  // A number that was given out once is never given out again.
  const number = database.prepare<{ id: UserId }>(
    `INSERT INTO users (name, password_hash, created_at, stamp)
     VALUES (hex(randomblob(16)), '', 0, 0) RETURNING CAST(id AS TEXT) AS id`,
  );
  const forgetNumber = database.prepare('DELETE FROM users WHERE id = @user');
  const insert = database.prepare('INSERT INTO arriving_users (id) VALUES (@user)');
  const find = database.prepare('SELECT 1 FROM arriving_users WHERE id = @user');
  const remove = database.prepare('DELETE FROM arriving_users WHERE id = @user');
  const all = database.prepare<{ user: UserId; isThere: number }>(
    `SELECT CAST(arriving_users.id AS TEXT) AS user, users.id IS NOT NULL AS isThere
     FROM arriving_users LEFT JOIN users ON users.id = arriving_users.id`,
  );
  const actionsAfter = database.prepare<Place & { podcast: string; episode: string; guid: string | Buffer | null }>(
    `SELECT stamp, place, podcast, episode, guid FROM actions
     WHERE user_id = @user AND (stamp, place) > (@stamp, @place) ORDER BY stamp, place LIMIT ${SLICE}`,
  );

  /** Answers where it ended; undefined at the end of the history, which is that of the import. */
  const noteSlice = (user: UserId, { stamp, place }: Place): Place | undefined => {
    const rows = actionsAfter.all({ user, stamp, place });
    directory.noteActed(rows.map(({ guid, ...row }) => ({ ...row, ...(guid !== null && { guid: fromColumn(guid) }) })));
    if (rows.length === SLICE) return rows.at(-1);
    remove.run({ user });
    return undefined;
  };

  const finish: Arrivals['finish'] = async (user) => {
    try {
      let place: Place | undefined = { stamp: -1, place: -1 };
      while (place) {
        const after: Place = place;
        place = await database.write(() => noteSlice(user, after));
      }
    } catch {
      // The storage closes, or its disk is full.
    }
  };

  const giveUp: Arrivals['giveUp'] = async (user) => {
    try {
      await database.write(() => {
        if (remove.run({ user }).changes > 0) removal.note(user);
      });
    } catch {
      return; // it goes after the next start
    }
    void removal.run();
  };

  return {
    begin: () =>
      database.write(() => {
        const { id: user } = number.get({})!;
        forgetNumber.run({ user });
        insert.run({ user });
        return user;
      }),
    expect(user) {
      if (!find.get({ user })) throw new StorageError('unavailable', 'the storage was emptied meanwhile; try again');
    },
    finish,
    giveUp,
    async resume() {
      for (const { user, isThere } of await database.read(() => all.all({}))) {
        await (isThere ? finish(user) : giveUp(user));
      }
    },
  };
}
