import { StorageError, type UserId } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import type { Removal } from './removal.ts';

/** Accounts that are being imported. They have a number, and actions under it, and are not there for anybody. */
export interface Arrivals {
  begin(): Promise<UserId>;
  /** To be called inside the write that makes the account. Throws when the storage was emptied meanwhile. */
  end(user: UserId): void;
  /** The account does not come: removes what is there of it. */
  giveUp(user: UserId): Promise<void>;
  /** Gives up all imports that were cut short. To be called before any begins, and before the removal runs. */
  resume(): Promise<void>;
}

export function createArrivals(database: Database, removal: Removal): Arrivals {
  // A number that was given out once is never given out again.
  const number = database.prepare<{ id: UserId }>(
    `INSERT INTO users (name, password_hash, created_at, stamp)
     VALUES (hex(randomblob(16)), '', 0, 0) RETURNING CAST(id AS TEXT) AS id`,
  );
  const forgetNumber = database.prepare('DELETE FROM users WHERE id = @user');
  const insert = database.prepare('INSERT INTO arriving_users (id) VALUES (@user)');
  const remove = database.prepare('DELETE FROM arriving_users WHERE id = @user');
  const all = database.prepare<{ user: UserId }>('SELECT CAST(id AS TEXT) AS user FROM arriving_users');

  const giveUp = (list: () => readonly UserId[]): Promise<void> =>
    database
      .write(() => {
        for (const user of list()) if (remove.run({ user }).changes > 0) removal.note(user);
      })
      .catch(() => undefined); // the storage closes, or its disk is full: it goes after the next start

  return {
    begin: () =>
      database.write(() => {
        const { id: user } = number.get({})!;
        forgetNumber.run({ user });
        insert.run({ user });
        return user;
      }),
    end(user) {
      if (remove.run({ user }).changes > 0) return;
      throw new StorageError('unavailable', 'the storage was emptied meanwhile; try again');
    },
    async giveUp(user) {
      await giveUp(() => [user]);
      void removal.run();
    },
    resume: () => giveUp(() => all.all({}).map(({ user }) => user)),
  };
}
