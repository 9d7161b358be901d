import { markAfter, type SubscriptionStore, type Url } from '../../src/plugin.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import { FIRST_ADDED, type SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

/** One range of an index: the cost follows what has changed. */
export const SUBSCRIPTIONS_SINCE = `
  SELECT url, subscribed FROM subscriptions
  WHERE user_id = @user AND device = @device AND stamp >= @since ORDER BY stamp, place`;

export function createSubscriptionStore(
  database: Database,
  devices: Devices,
  table: SubscriptionTable,
  upload: StoreUpload,
): SubscriptionStore {
  const all = database.prepare<{ url: Url }>(
    `SELECT url FROM subscriptions WHERE user_id = @user AND subscribed
     GROUP BY url ORDER BY ${FIRST_ADDED}`,
  );
  const since = database.prepare<{ url: Url; subscribed: number }>(SUBSCRIPTIONS_SINCE);

  return {
    current: (user, device) =>
      database.read(() =>
        device === undefined ? all.all({ user }).map(({ url }) => url) : table.current(user, [device]),
      ),

    since: (user, device, mark) =>
      database.read(() => ({
        mark: markAfter(database.context.now(), database.lastStamp(user)),
        items: since
          .all({ user, device, since: mark })
          .map(({ url, subscribed }) => ({ url, subscribed: subscribed === 1 })),
      })),

    apply: (user, device, changes) =>
      database.write(() =>
        upload({ user, devices: [device], origin: device }, (order) =>
          table.change(user, devices.following(user, device), changes, order),
        ),
      ),

    replace: (user, device, urls) =>
      database.write(() =>
        upload({ user, devices: [device], origin: device }, (order) => {
          const wanted = new Set(urls);
          const gone = table.current(user, [device]).filter((url) => !wanted.has(url));
          const changes = [
            ...gone.map((url) => ({ url, subscribed: false })),
            ...urls.map((url) => ({ url, subscribed: true })),
          ];
          return table.change(user, devices.following(user, device), changes, order);
        }),
      ),
  };
}
