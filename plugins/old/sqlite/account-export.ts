import type { Seconds, Stamp, Url, UserId, UserRecord } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';
import { toSettingRecords } from '../sql/setting-records.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';
import { pagesOf, toGroupRecords, type UserRecordOf } from '../user-records.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import { type DeviceRow, toDevice } from './devices.ts';
import { createHistory } from './history.ts';
import { type ListRow, toList } from './lists.ts';
import { fromColumn } from './text.ts';

interface SubscriptionRow {
  device: string;
  url: Url;
  subscribed: number;
  stamp: Stamp;
  place: number;
}

/** Reads whole accounts: all but the history at once, so that it is one snapshot with the history up to the last stamp. */
export function createAccountExport(database: Database, devices: Devices) {
  const history = createHistory(database);
  const byId = database.prepare<UserRow & { stamp: Stamp }>(`SELECT ${USER}, stamp FROM users WHERE id = @user`);
  const allDevices = database.prepare<DeviceRow & { place: number }>(
    `SELECT id, caption, type, row_number() OVER (ORDER BY place) AS place FROM devices
     WHERE user_id = @user ORDER BY id`,
  );
  const subscriptions = database.prepare<SubscriptionRow>(
    `SELECT device, url, subscribed, stamp, row_number() OVER (ORDER BY first_stamp, first_place) AS place
     FROM subscriptions WHERE user_id = @user ORDER BY stamp, device, subscriptions.place`,
  );
  const settings = database.prepare<{ scope: string; key: string | Buffer; value: string }>(
    'SELECT scope, key, value FROM settings WHERE user_id = @user ORDER BY scope, place',
  );
  const lists = database.prepare<ListRow>('SELECT name, title, urls FROM lists WHERE user_id = @user ORDER BY place');
  const sessions = database.prepare<{ digest: string; expiresAt: Seconds }>(
    'SELECT digest, expires_at AS expiresAt FROM sessions WHERE user_id = @user ORDER BY digest',
  );

  const userOf = (user: UserId): UserRecordOf<'user'> => {
    const row = byId.get({ user });
    if (!row) throw noSuchAccount();
    const { id: _, ...details } = toUser(row);
    return { kind: 'user', ...details, stamp: row.stamp };
  };

  function* aboutDevices(user: UserId): Iterable<UserRecord> {
    for (const { place, ...row } of allDevices.all({ user })) yield { kind: 'device', device: toDevice(row), place };
    yield* toGroupRecords(devices.groups(user));
    for (const { subscribed, ...row } of subscriptions.all({ user })) {
      yield { kind: 'subscription', ...row, subscribed: subscribed === 1 };
    }
  }

  function* aboutSettings(user: UserId): Iterable<UserRecord> {
    yield* toSettingRecords(settings.all({ user }).map((row) => ({ ...row, key: fromColumn(row.key) })));
    for (const row of lists.all({ user })) yield { kind: 'list', list: toList(row) };
    for (const session of sessions.all({ user })) yield { kind: 'session', ...session };
  }

  return async function* (user: UserId): AsyncGenerator<UserRecord[]> {
    const { first, before, after } = await database.read(() => ({
      first: userOf(user),
      before: [...aboutDevices(user)],
      after: [...aboutSettings(user)],
    }));
    yield [first];
    yield* pagesOf(before);
    for await (const page of history.all(user, first.stamp)) {
      yield page.map((stored) => ({ kind: 'action', ...stored }));
    }
    yield* pagesOf(after);
  };
}
