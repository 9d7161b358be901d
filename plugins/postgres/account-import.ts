import { StorageError, type Url, type UserId, type UserRecord } from '../../src/plugin.ts';
import { createActionTable } from './actions.ts';
import type { Arrivals } from './arrivals.ts';
import { type Belonging, createBelongings } from './belongings.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Logins } from './logins.ts';

type UserRecordOf<Kind extends UserRecord['kind']> = Extract<UserRecord, { kind: Kind }>;

/**
 * Takes in whole accounts. The history goes to its table page by page, among the writes of others, under a number that
 * is nobody's yet; all else follows in the last step, which makes the account.
 */
export function createAccountImport(database: Database, directory: Directory, logins: Logins, arrivals: Arrivals) {
  const storeActions = createActionTable(database);
  const insertBelongings = createBelongings(database);
  const insertUser = database.prepare(
    `INSERT INTO users (id, name, email, password_hash, created_at, stamp, told_at)
     VALUES (@user, @name, @email, @passwordHash, @createdAt, @stamp, @now)`,
  );
  // What came lately counts as one upload of this moment, by nobody knows whom.
  const noteRecent = database.prepare(
    `INSERT INTO uploads (user_id, stamp, at) SELECT @user, min(stamp), @now FROM (
       SELECT stamp FROM subscriptions WHERE user_id = @user AND stamp > (SELECT @now) - @overlap::bigint
       UNION ALL SELECT stamp FROM actions WHERE user_id = @user AND stamp > (SELECT @now) - @overlap
     ) AS recent HAVING min(stamp) IS NOT NULL`,
  );

  const create = async (
    connection: Connection,
    user: UserId,
    first: UserRecordOf<'user'>,
    belongings: readonly Belonging[],
    actedOn: ReadonlySet<Url>,
  ): Promise<void> => {
    await arrivals.end(connection, user);
    await insertUser.run(connection, { ...first, user });
    await logins.set(connection, user, namesOf(first));
    await insertBelongings(connection, user, belongings);
    await noteRecent.run(connection, { user, overlap: database.context.overlap });
    const feeds = belongings.flatMap((each) => (each.kind === 'subscription' ? [each.url] : []));
    await directory.meet(connection, [...feeds, ...actedOn]);
    await directory.follow(connection, user, [...new Set(feeds)]);
  };

  const takeIn = async (user: UserId, records: AsyncIterable<UserRecord[]>): Promise<void> => {
    let first: UserRecordOf<'user'> | undefined;
    let place = 0;
    const belongings: Belonging[] = [];
    const actedOn = new Set<Url>();
    for await (const page of records) {
      const actions: UserRecordOf<'action'>[] = [];
      for (const record of page) {
        if (record.kind === 'user') first = record;
        else if (record.kind === 'action') actions.push(record);
        else belongings.push(record);
      }
      for (const { action } of actions) actedOn.add(action.podcast);
      const from = place;
      place += actions.length;
      await database.write(async (connection) => {
        await arrivals.goOn(connection, user);
        await logins.refuseTaken(connection, namesOf(firstOf(first)));
        await storeActions(connection, user, from, actions);
      });
    }
    await database.write((connection) => create(connection, user, firstOf(first), belongings, actedOn));
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

const namesOf = ({ name, email = null }: { name: string; email?: string | null }) => ({ name, email });

function firstOf(first: UserRecordOf<'user'> | undefined): UserRecordOf<'user'> {
  if (first) return first;
  throw new StorageError('corrupt', 'the first record of an account must be its user');
}
