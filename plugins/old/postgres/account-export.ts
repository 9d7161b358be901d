import type { Device, Seconds, Stamp, Url, UserId, UserRecord } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';
import { toSettingRecords } from '../sql/setting-records.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';
import { pagesOf, toGroupRecords, type UserRecordOf } from '../user-records.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import { createHistory } from './history.ts';
import { type ListRow, toList } from './lists.ts';

interface SubscriptionRow {
  device: string;
  url: Url;
  subscribed: boolean;
  stamp: Stamp;
  place: number;
}

/** Reads whole accounts: all but the history at once, so that it is one snapshot with the history up to the last stamp. */
export function createAccountExport(database: Database, devices: Devices) {
  const history = createHistory(database);
  const byId = database.prepare<UserRow & { stamp: Stamp }>(`SELECT ${USER}, stamp FROM users WHERE id = @user`);
  const allDevices = database.prepare<Device & { place: number }>(
    `SELECT id, caption, type, row_number() OVER (ORDER BY place) AS place FROM devices
     WHERE user_id = @user ORDER BY id`,
  );
  const subscriptions = database.prepare<SubscriptionRow>(
    `SELECT device, url, subscribed, stamp, row_number() OVER (ORDER BY first_stamp, first_place) AS place
     FROM subscriptions WHERE user_id = @user ORDER BY stamp, device, subscriptions.place`,
  );
  const settings = database.prepare<{ scope: string; key: string; value: string }>(
    'SELECT scope, key, value FROM settings WHERE user_id = @user ORDER BY scope, place',
  );
  const lists = database.prepare<ListRow>('SELECT name, title, urls FROM lists WHERE user_id = @user ORDER BY place');
  const sessions = database.prepare<{ digest: string; expiresAt: Seconds }>(
    'SELECT digest, expires_at AS "expiresAt" FROM sessions WHERE user_id = @user ORDER BY digest',
  );

  const userOf = async (connection: Connection, user: UserId): Promise<UserRecordOf<'user'>> => {
    const row = await byId.get(connection, { user });
    if (!row) throw noSuchAccount();
    const { id: _, ...details } = toUser(row);
    return { kind: 'user', ...details, stamp: row.stamp };
  };

  const aboutDevices = async (connection: Connection, user: UserId): Promise<UserRecord[]> => {
    const known = await allDevices.all(connection, { user });
    const groups = await devices.groups(connection, user);
    const subscribed = await subscriptions.all(connection, { user });
    return [
      ...known.map(({ place, ...device }) => ({ kind: 'device' as const, device, place })),
      ...toGroupRecords(groups),
      ...subscribed.map((row) => ({ kind: 'subscription' as const, ...row })),
    ];
  };

  const aboutSettings = async (connection: Connection, user: UserId): Promise<UserRecord[]> => [
    ...toSettingRecords(await settings.all(connection, { user })),
    ...(await lists.all(connection, { user })).map((row) => ({ kind: 'list' as const, list: toList(row) })),
    ...(await sessions.all(connection, { user })).map((session) => ({ kind: 'session' as const, ...session })),
  ];

  return async function* (user: UserId): AsyncGenerator<UserRecord[]> {
    const { first, before, after } = await database.snapshot(async (connection) => ({
      first: await userOf(connection, user),
      before: await aboutDevices(connection, user),
      after: await aboutSettings(connection, user),
    }));
    yield [first];
    yield* pagesOf(before);
    for await (const page of history.all(user, first.stamp)) {
      yield page.map((stored) => ({ kind: 'action', ...stored }));
    }
    yield* pagesOf(after);
    await database.read((connection) => userOf(connection, user)); // a history that ends early is not whole
  };
}
