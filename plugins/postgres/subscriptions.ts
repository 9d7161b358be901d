import { markAfter, type SubscriptionStore, type Url } from '../../src/plugin.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { Stamps } from './stamps.ts';
import { FIRST_ADDED, type SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

/** One range of an index: the cost follows what has changed. */
export const SUBSCRIPTIONS_SINCE = `
  SELECT url, subscribed FROM subscriptions
  WHERE user_id = @user AND device = @device AND stamp >= @since ORDER BY stamp, place`;

export function createSubscriptionStore(
  database: Database,
  stamps: Stamps,
  devices: Devices,
  table: SubscriptionTable,
  upload: StoreUpload,
): SubscriptionStore {
  const all = database.prepare<{ url: Url }>(
    `SELECT url FROM subscriptions WHERE user_id = @user AND subscribed
     GROUP BY url ORDER BY ${FIRST_ADDED}`,
  );
  const since = database.prepare<{ url: Url; subscribed: boolean }>(SUBSCRIPTIONS_SINCE);

  return {
    current: (user, device) =>
      database.read(async (connection) =>
        device === undefined
          ? (await all.all(connection, { user })).map(({ url }) => url)
          : table.current(connection, user, [device]),
      ),

    since: (user, device, mark) =>
      database.write(async (connection) => {
        const { at, last } = await stamps.holdUser(connection, user);
        const items = await since.all(connection, { user, device, since: mark });
        return { mark: markAfter(at, last), items: items.map(({ url, subscribed }) => ({ url, subscribed })) };
      }),

    apply: (user, device, changes) =>
      database.write((connection) =>
        upload(connection, { user, devices: [device], origin: device }, async (order) =>
          table.change(connection, user, await devices.following(connection, user, device), changes, order),
        ),
      ),

    replace: (user, device, urls) =>
      database.write((connection) =>
        upload(connection, { user, devices: [device], origin: device }, async (order) => {
          const wanted = new Set(urls);
          const gone = (await table.current(connection, user, [device])).filter((url) => !wanted.has(url));
          const changes = [
            ...gone.map((url) => ({ url, subscribed: false })),
            ...urls.map((url) => ({ url, subscribed: true })),
          ];
          return table.change(connection, user, await devices.following(connection, user, device), changes, order);
        }),
      ),
  };
}
