import { StorageError, type Url, type UserId, type UserRecord } from '../../src/plugin.ts';
import { createInsertAction } from './action-table.ts';
import type { Arrivals } from './arrivals.ts';
import { type Belonging, createBelongings } from './belongings.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Logins } from './logins.ts';

type UserRecordOf<Kind extends UserRecord['kind']> = Extract<UserRecord, { kind: Kind }>;

/**
 * Takes in whole accounts. The history goes to its table page by page, among the writes of others, under a number that
 * is nobody's yet; all else follows in one step, which makes the account.
 */
export function createAccountImport(database: Database, directory: Directory, logins: Logins, arrivals: Arrivals) {
  const { now, overlap } = database.context;
  const insertBelongings = createBelongings(database);
  const insertAction = createInsertAction(database);
  const insertUser = database.prepare(
    `INSERT INTO users (id, name, email, password_hash, created_at, stamp)
     VALUES (@user, @name, @email, @passwordHash, @createdAt, @stamp)`,
  );
  // What came lately counts as one upload of this moment, by nobody knows whom.
  const noteRecent = database.prepare(
    `INSERT INTO uploads (user_id, stamp, at) SELECT @user, min(stamp), @at FROM (
       SELECT stamp FROM subscriptions WHERE user_id = @user AND stamp > @since
       UNION ALL SELECT stamp FROM actions WHERE user_id = @user AND stamp > @since
     ) HAVING min(stamp) IS NOT NULL`,
  );
  const create = (
    user: UserId,
    first: UserRecordOf<'user'>,
    belongings: readonly Belonging[],
    actedOn: ReadonlySet<Url>,
  ): void => {
    arrivals.end(user);
    logins.refuseTaken(first);
    insertUser.run({ ...first, user, email: first.email ?? null });
    logins.set(user, first.name, first.email ?? null);
    insertBelongings(user, belongings);
    noteRecent.run({ user, at: now(), since: now() - overlap });
    const feeds = belongings.flatMap((each) => (each.kind === 'subscription' ? [each.url] : []));
    directory.meet([...feeds, ...actedOn]);
    directory.follow(user, feeds);
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
      await database.write(() => {
        logins.refuseTaken(firstOf(first));
        for (const { action, stamp, uploadedAt } of actions) {
          insertAction(user, action, { stamp, place: place++, uploadedAt });
        }
      });
    }
    await database.write(() => create(user, firstOf(first), belongings, actedOn));
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

function firstOf(first: UserRecordOf<'user'> | undefined): UserRecordOf<'user'> {
  if (first) return first;
  throw new StorageError('corrupt', 'the first record of an account must be its user');
}
