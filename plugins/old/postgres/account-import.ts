import type { UserId, UserRecord } from '../../../src/old-plugin.ts';
import { ArrivingAccount } from '../sql/arriving-account.ts';
import type { UserRow } from '../sql/user-row.ts';
import type { UserRecordOf } from '../user-records.ts';
import { createActionTable } from './action-table.ts';
import type { Arrivals } from './arrivals.ts';
import { createBelongings } from './belongings.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Logins } from './logins.ts';

/**
 * Takes in whole accounts. The history goes to its table page by page, among the writes of others, under a number that
 * is nobody's yet; all else follows in the last step, which makes the account.
 */
export function createAccountImport(database: Database, directory: Directory, logins: Logins, arrivals: Arrivals) {
  const storeActions = createActionTable(database);
  const insertBelongings = createBelongings(database);
  const insertUser = database.prepare(
    `INSERT INTO users (id, name, email, password_hash, created_at, stamp, told_at)
     VALUES (@user, @name, @email, @passwordHash, @createdAt, @stamp, greatest(@now, @toldAt::bigint))`,
  );
  // What came lately counts as one upload of this moment, from a device that nobody knows.
  const noteRecent = database.prepare(
    `INSERT INTO uploads (user_id, stamp, at) SELECT @user, min(stamp), @now FROM (
       SELECT stamp FROM subscriptions WHERE user_id = @user AND stamp > (SELECT @now) - @overlap::bigint
       UNION ALL SELECT stamp FROM actions WHERE user_id = @user AND stamp > (SELECT @now) - @overlap
     ) AS recent HAVING min(stamp) IS NOT NULL`,
  );

  const create = async (connection: Connection, user: UserId, account: ArrivingAccount): Promise<void> => {
    await arrivals.end(connection, user);
    await insertUser.run(connection, { ...account.user, user, toldAt: database.context.now() });
    await logins.set(connection, user, namesOf(account.user));
    await insertBelongings(connection, user, account.belongings);
    await noteRecent.run(connection, { user, overlap: database.context.overlap });
    await directory.meet(connection, [...account.feeds, ...account.actedOn]);
    await directory.follow(connection, user, [...new Set(account.feeds)]);
  };

  const takeIn = async (user: UserId, records: AsyncIterable<UserRecord[]>): Promise<void> => {
    const account = new ArrivingAccount();
    let place = 0;
    for await (const page of records) {
      const actions = account.take(page);
      const from = place;
      place += actions.length;
      await database.write(async (connection) => {
        await arrivals.goOn(connection, user);
        await logins.refuseTaken(connection, namesOf(account.user));
        await storeActions(connection, user, from, actions);
      });
    }
    await database.write((connection) => create(connection, user, account));
  };

  return async (records: AsyncIterable<UserRecord[]>): Promise<UserId> => {
    const user = await arrivals.begin();
    try {
      await takeIn(user, records);
      return user;
    } catch (error) {
      await arrivals.giveUp(user);
      throw error;
    }
  };
}

const namesOf = ({ name, email }: UserRecordOf<'user'>): Pick<UserRow, 'name' | 'email'> => ({
  name,
  email: email ?? null,
});
