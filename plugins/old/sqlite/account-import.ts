import type { UserId, UserRecord } from '../../../src/old-plugin.ts';
import { ArrivingAccount } from '../sql/arriving-account.ts';
import { createActionTable } from './action-table.ts';
import type { Arrivals } from './arrivals.ts';
import { createBelongings } from './belongings.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Logins } from './logins.ts';

/**
 * Takes in whole accounts. The history goes to its table page by page, among the writes of others, under a number that
 * is nobody's yet; all else follows in one step, which makes the account.
 */
export function createAccountImport(database: Database, directory: Directory, logins: Logins, arrivals: Arrivals) {
  const { now, overlap } = database.context;
  const insertBelongings = createBelongings(database);
  const insertInto = createActionTable(database);
  const insertUser = database.prepare(
    `INSERT INTO users (id, name, email, password_hash, created_at, stamp)
     VALUES (@user, @name, @email, @passwordHash, @createdAt, @stamp)`,
  );
  // What came lately counts as one upload of this moment, from a device that nobody knows.
  const noteRecent = database.prepare(
    `INSERT INTO uploads (user_id, stamp, at) SELECT @user, min(stamp), @at FROM (
       SELECT stamp FROM subscriptions WHERE user_id = @user AND stamp > @since
       UNION ALL SELECT stamp FROM actions WHERE user_id = @user AND stamp > @since
     ) HAVING min(stamp) IS NOT NULL`,
  );

  const create = (user: UserId, account: ArrivingAccount): void => {
    const { name, email = null } = account.user;
    arrivals.end(user);
    logins.refuseTaken(account.user);
    insertUser.run({ ...account.user, user, email });
    logins.set(user, name, email);
    insertBelongings(user, account.belongings);
    noteRecent.run({ user, at: now(), since: now() - overlap });
    directory.meet([...account.feeds, ...account.actedOn]);
    directory.follow(user, account.feeds);
  };

  const takeIn = async (user: UserId, records: AsyncIterable<UserRecord[]>): Promise<void> => {
    const account = new ArrivingAccount();
    let place = 0;
    for await (const page of records) {
      const actions = account.take(page);
      await database.write(() => {
        logins.refuseTaken(account.user);
        const insert = insertInto(user);
        for (const { action, stamp, uploadedAt } of actions) insert(action, { stamp, place: place++, uploadedAt });
      });
    }
    await database.write(() => create(user, account));
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
