import type { SubscriptionChange, Url, UserId } from '../../../src/old-plugin.ts';
import { FIRST_ADDED } from '../sql/subscriptions.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Order } from './order.ts';

/**
 * The lists of the devices: one row for a feed on a device, now or once, so that the device hears that it was removed.
 * All of it to be called inside a read or a write.
 */
export interface SubscriptionTable {
  /** What any of the devices subscribes to, in the order first added, each URL once. */
  current(user: UserId, devices: readonly string[]): Url[];
  /** How many feeds these devices subscribe to, each counted on its own. */
  count(user: UserId, devices: readonly string[]): number;
  /** Makes the same changes on each device; of two on one URL the later counts. False when they change nothing. */
  change(user: UserId, devices: readonly string[], changes: readonly SubscriptionChange[], order: Order): boolean;
  /** Brings each group to the union of its lists. False when that changes nothing. */
  unite(user: UserId, groups: readonly (readonly string[])[], order: Order): boolean;
}

export function createSubscriptionTable(database: Database, directory: Directory): SubscriptionTable {
  // +url: by the key of these devices, not by the URLs of all.
  const current = database.prepare<{ url: Url }>(
    `SELECT url FROM subscriptions
     WHERE user_id = @user AND device IN (SELECT value FROM json_each(@devices)) AND subscribed
     GROUP BY +url ORDER BY ${FIRST_ADDED}`,
  );
  const count = database.prepare<{ count: number }>(
    `SELECT count(*) AS count FROM subscriptions
     WHERE user_id = @user AND device IN (SELECT value FROM json_each(@devices)) AND subscribed`,
  );
  const find = database.prepare<{ subscribed: number }>(
    'SELECT subscribed FROM subscriptions WHERE user_id = @user AND device = @device AND url = @url',
  );
  const insert = database.prepare(
    `INSERT INTO subscriptions (user_id, device, url, subscribed, stamp, place, first_stamp, first_place)
     VALUES (@user, @device, @url, 1, @stamp, @place, @stamp, @place)`,
  );
  const update = database.prepare(
    `UPDATE subscriptions SET subscribed = @subscribed, stamp = @stamp, place = @place
     WHERE user_id = @user AND device = @device AND url = @url`,
  );

  const list: SubscriptionTable['current'] = (user, devices) =>
    current.all({ user, devices: JSON.stringify(devices) }).map(({ url }) => url);

  /** False when it changes nothing. */
  const changeOne = (user: UserId, device: string, { url, subscribed }: SubscriptionChange, order: Order): boolean => {
    const row = find.get({ user, device, url });
    if (Boolean(row?.subscribed ?? false) === subscribed) return false;
    const values = { user, device, url, stamp: order.stamp, place: order.next() };
    if (row) update.run({ ...values, subscribed: Number(subscribed) });
    else insert.run(values);
    return true;
  };

  const change: SubscriptionTable['change'] = (user, devices, changes, order) => {
    const last = new Map(changes.map((each) => [each.url, each]));
    const changed = new Set<Url>();
    for (const device of devices) {
      for (const each of last.values()) if (changeOne(user, device, each, order)) changed.add(each.url);
    }
    directory.meet([...changed]);
    directory.follow(user, [...changed]);
    return changed.size > 0;
  };

  return {
    current: list,
    count: (user, devices) => (devices.length === 0 ? 0 : count.get({ user, devices: JSON.stringify(devices) })!.count),
    change,
    unite(user, groups, order) {
      const news = groups.map((devices) => {
        const union = list(user, devices).map((url) => ({ url, subscribed: true }));
        return change(user, devices, union, order);
      });
      return news.includes(true);
    },
  };
}
