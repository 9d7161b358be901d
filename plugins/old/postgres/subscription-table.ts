import type { SubscriptionChange, Url, UserId } from '../../../src/old-plugin.ts';
import { FIRST_ADDED } from '../sql/subscriptions.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Order } from './order.ts';

/**
 * The lists of the devices: one row for a feed on a device, now or once, so that the device hears that it was removed.
 * What changes them is to be called under the user's lock.
 */
export interface SubscriptionTable {
  /** What any of the devices subscribes to, in the order first added, each URL once. */
  current(connection: Connection, user: UserId, devices: readonly string[]): Promise<Url[]>;
  /** How many feeds these devices subscribe to, each counted on its own. */
  count(connection: Connection, user: UserId, devices: readonly string[]): Promise<number>;
  /** Makes the same changes on each device; of two on one URL the later counts. False when they change nothing. */
  change(
    connection: Connection,
    user: UserId,
    devices: readonly string[],
    changes: readonly SubscriptionChange[],
    order: Order,
  ): Promise<boolean>;
  /** Brings each group to the union of its lists. False when that changes nothing. */
  unite(connection: Connection, user: UserId, groups: readonly (readonly string[])[], order: Order): Promise<boolean>;
}

export function createSubscriptionTable(database: Database): SubscriptionTable {
  const current = database.prepare<{ url: Url }>(
    `SELECT url FROM subscriptions WHERE user_id = @user AND device = ANY(@devices::text[]) AND subscribed
     GROUP BY url ORDER BY ${FIRST_ADDED}`,
  );
  const count = database.prepare<{ count: number }>(
    `SELECT count(*) AS count FROM subscriptions
     WHERE user_id = @user AND device = ANY(@devices::text[]) AND subscribed`,
  );
  // What changes something, in its order: device by device, then as uploaded.
  const change = database.prepare<{ url: Url }>(
    `WITH news AS (
       SELECT named.device, wish.url, wish.subscribed,
         @place + row_number() OVER (ORDER BY device_number, number) - 1 AS place
       FROM unnest(@devices::text[]) WITH ORDINALITY AS named(device, device_number)
       CROSS JOIN unnest(@urls::text[], @wanted::boolean[]) WITH ORDINALITY AS wish(url, subscribed, number)
       LEFT JOIN subscriptions AS known
         ON known.user_id = @user AND known.device = named.device AND known.url_key = key_of(wish.url)
       WHERE coalesce(known.subscribed, false) <> wish.subscribed
     )
     INSERT INTO subscriptions (user_id, device, url, subscribed, stamp, place, first_stamp, first_place)
     SELECT @user, device, url, subscribed, @stamp, place, @stamp, place FROM news ORDER BY place
     ON CONFLICT (user_id, device, url_key)
     DO UPDATE SET subscribed = excluded.subscribed, stamp = excluded.stamp, place = excluded.place
     RETURNING url`,
  );

  const list: SubscriptionTable['current'] = async (connection, user, devices) =>
    (await current.all(connection, { user, devices })).map(({ url }) => url);

  const changeAll: SubscriptionTable['change'] = async (connection, user, devices, changes, order) => {
    const last = [...new Map(changes.map((each) => [each.url, each])).values()];
    if (last.length === 0) return false;
    const changed = await change.all(connection, {
      user,
      devices,
      urls: last.map(({ url }) => url),
      wanted: last.map(({ subscribed }) => subscribed),
      stamp: order.stamp,
      place: order.place,
    });
    order.place += changed.length;
    for (const { url } of changed) order.changed.add(url);
    return changed.length > 0;
  };

  return {
    current: list,
    count: async (connection, user, devices) =>
      devices.length === 0 ? 0 : (await count.get(connection, { user, devices }))!.count,
    change: changeAll,
    async unite(connection, user, groups, order) {
      let isNews = false;
      for (const devices of groups) {
        const union = (await list(connection, user, devices)).map((url) => ({ url, subscribed: true }));
        if (await changeAll(connection, user, devices, union, order)) isNews = true;
      }
      return isNews;
    },
  };
}
