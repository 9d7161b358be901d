import { scopeKey, type UserId } from '../../../src/old-plugin.ts';
import type { Belonging } from '../sql/arriving-account.ts';
import type { Database } from './database.ts';
import { toColumn } from './text.ts';

/** Stores what an imported account has. To be called inside a write. */
export function createBelongings(database: Database): (user: UserId, belongings: readonly Belonging[]) => void {
  const insertDevice = database.prepare(
    'INSERT INTO devices (user_id, id, caption, type, place) VALUES (@user, @id, @caption, @type, @place)',
  );
  const joinGroup = database.prepare(
    `UPDATE devices SET group_number = @number
     WHERE user_id = @user AND id IN (SELECT value FROM json_each(@devices))`,
  );
  // A first stamp of 0: added before all that comes later.
  const insertSubscription = database.prepare(
    `INSERT INTO subscriptions (user_id, device, url, subscribed, stamp, place, first_stamp, first_place)
     VALUES (@user, @device, @url, @subscribed, @stamp, @number, 0, @place)`,
  );
  const insertSetting = database.prepare(
    `INSERT INTO settings (user_id, kind, scope, key, value, place)
     VALUES (@user, @kind, @scope, @key, @value, @place)`,
  );
  const insertList = database.prepare(
    'INSERT INTO lists (user_id, name, title, urls, place) VALUES (@user, @name, @title, @urls, @number)',
  );
  const insertSession = database.prepare(
    'INSERT OR IGNORE INTO sessions (digest, user_id, expires_at) VALUES (@digest, @user, @expiresAt)',
  );

  /** `number` rises from one to the next. */
  const store = (at: { user: UserId; number: number }, belonging: Belonging): unknown => {
    switch (belonging.kind) {
      case 'device': {
        const { device, place } = belonging;
        return insertDevice.run({ ...at, ...device, caption: toColumn(device.caption), place });
      }
      case 'group':
        return joinGroup.run({ ...at, devices: JSON.stringify(belonging.devices) });
      case 'subscription':
        return insertSubscription.run({ ...at, ...belonging, subscribed: Number(belonging.subscribed) });
      case 'settings': {
        const scope = { ...at, kind: belonging.scope.kind, scope: scopeKey(belonging.scope) };
        return belonging.values.map(([key, value], index) =>
          insertSetting.run({ ...scope, key: toColumn(key), value: JSON.stringify(value), place: index + 1 }),
        );
      }
      case 'list': {
        const { name, title, urls } = belonging.list;
        return insertList.run({ ...at, name, title: toColumn(title), urls: JSON.stringify(urls) });
      }
      case 'session':
        return insertSession.run({ ...at, digest: belonging.digest, expiresAt: belonging.expiresAt });
    }
  };

  return (user, belongings) => {
    for (const [number, belonging] of belongings.entries()) store({ user, number }, belonging);
  };
}
