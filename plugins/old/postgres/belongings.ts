import { scopeKey, type UserId } from '../../../src/old-plugin.ts';
import type { Belonging } from '../sql/arriving-account.ts';
import type { UserRecordOf } from '../user-records.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { SET } from './settings.ts';

/** Stores what an imported account has. To be called inside a write. */
export function createBelongings(
  database: Database,
): (connection: Connection, user: UserId, belongings: readonly Belonging[]) => Promise<void> {
  const insertDevices = database.prepare(
    `INSERT INTO devices (user_id, id, caption, type, place)
     SELECT @user, * FROM unnest(@ids::text[], @captions::text[], @types::text[], @places::integer[])`,
  );
  const joinGroup = database.prepare(
    'UPDATE devices SET group_number = @number WHERE user_id = @user AND id = ANY(@devices::text[])',
  );
  // A first stamp of 0: added before all that comes later.
  const insertSubscriptions = database.prepare(
    `INSERT INTO subscriptions (user_id, device, url, subscribed, stamp, place, first_stamp, first_place)
     SELECT @user, device, url, subscribed, stamp, number, 0, place
     FROM unnest(@devices::text[], @urls::text[], @subscribed::boolean[], @stamps::bigint[], @places::integer[])
       WITH ORDINALITY AS told(device, url, subscribed, stamp, place, number)`,
  );
  const insertSettings = database.prepare(SET);
  const insertLists = database.prepare(
    `INSERT INTO lists (user_id, name, title, urls, place)
     SELECT @user, * FROM unnest(@names::text[], @titles::text[], @urls::text[]) WITH ORDINALITY`,
  );
  const insertSessions = database.prepare(
    `INSERT INTO sessions (user_id, digest, expires_at)
     SELECT @user, digest, expires_at FROM unnest(@digests::text[], @ends::bigint[]) AS told(digest, expires_at)
     WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.digest = told.digest)`,
  );

  return async (connection, user, belongings) => {
    const of = <Kind extends Belonging['kind']>(kind: Kind): UserRecordOf<Kind>[] =>
      belongings.filter((each): each is UserRecordOf<Kind> => each.kind === kind);
    const devices = of('device');
    await insertDevices.run(connection, {
      user,
      ids: devices.map(({ device }) => device.id),
      captions: devices.map(({ device }) => device.caption),
      types: devices.map(({ device }) => device.type),
      places: devices.map(({ place }) => place),
    });
    for (const [number, group] of of('group').entries()) {
      await joinGroup.run(connection, { user, number, devices: group.devices });
    }
    const subscriptions = of('subscription');
    await insertSubscriptions.run(connection, {
      user,
      devices: subscriptions.map(({ device }) => device),
      urls: subscriptions.map(({ url }) => url),
      subscribed: subscriptions.map(({ subscribed }) => subscribed),
      stamps: subscriptions.map(({ stamp }) => stamp),
      places: subscriptions.map(({ place }) => place),
    });
    for (const { scope, values } of of('settings')) {
      await insertSettings.run(connection, {
        user,
        kind: scope.kind,
        scope: scopeKey(scope),
        keys: values.map(([key]) => key),
        values: values.map(([, value]) => JSON.stringify(value)),
        place: 0,
      });
    }
    const lists = of('list').map(({ list }) => list);
    await insertLists.run(connection, {
      user,
      names: lists.map(({ name }) => name),
      titles: lists.map(({ title }) => title),
      urls: lists.map(({ urls }) => JSON.stringify(urls)),
    });
    const sessions = of('session');
    await insertSessions.run(connection, {
      user,
      digests: sessions.map(({ digest }) => digest),
      ends: sessions.map(({ expiresAt }) => expiresAt),
    });
  };
}
