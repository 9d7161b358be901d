import {
  compareScopes,
  compareText,
  type Device,
  type Json,
  type Seconds,
  type Stamp,
  StorageError,
  type Url,
  type UserId,
  type UserRecord,
} from '../../src/plugin.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import { createHistory } from './history.ts';
import { type ListRow, toList } from './lists.ts';
import { toScope } from './settings.ts';
import { toUser, USER, type UserRow } from '../sql/user-row.ts';

interface SubscriptionRow {
  device: string;
  url: Url;
  subscribed: boolean;
  stamp: Stamp;
  place: number;
}

const PAGE = 1000;

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

  const userOf = async (connection: Connection, user: UserId): Promise<UserRecord & { kind: 'user' }> => {
    const row = await byId.get(connection, { user });
    if (!row) throw new StorageError('missing', 'there is no such account (any more)');
    const { id: _, ...details } = toUser(row);
    return { kind: 'user', ...details, stamp: row.stamp };
  };

  const aboutDevices = async (connection: Connection, user: UserId): Promise<UserRecord[]> => {
    const known = await allDevices.all(connection, { user });
    const groups = (await devices.groups(connection, user)).map((group) => group.toSorted(compareText));
    const subscribed = await subscriptions.all(connection, { user });
    return [
      ...known.map(({ place, ...device }) => ({ kind: 'device' as const, device, place })),
      ...groups
        .toSorted(([a], [b]) => compareText(a!, b!))
        .map((group) => ({ kind: 'group' as const, devices: group })),
      ...subscribed.map((row) => ({ kind: 'subscription' as const, ...row })),
    ];
  };

  const settingsOf = async (connection: Connection, user: UserId): Promise<(UserRecord & { kind: 'settings' })[]> => {
    const scopes = new Map<string, [string, Json][]>();
    for (const { scope, key, value } of await settings.all(connection, { user })) {
      const values = scopes.get(scope) ?? [];
      scopes.set(scope, values);
      values.push([key, JSON.parse(value) as Json]);
    }
    return [...scopes]
      .map(([scope, values]) => ({ kind: 'settings' as const, scope: toScope(scope), values }))
      .toSorted((a, b) => compareScopes(a.scope, b.scope));
  };

  const aboutSettings = async (connection: Connection, user: UserId): Promise<UserRecord[]> => [
    ...(await settingsOf(connection, user)),
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
    for await (const page of history.all(user, first.stamp))
      yield page.map((stored) => ({ kind: 'action', ...stored }));
    yield* pagesOf(after);
    await database.read((connection) => userOf(connection, user)); // a history that ends early is not whole
  };
}

function* pagesOf(records: UserRecord[]): Iterable<UserRecord[]> {
  for (let at = 0; at < records.length; at += PAGE) yield records.slice(at, at + PAGE);
}
