import { markAfter, originOf, type SubscriptionStore, type Url } from '../../../src/old-plugin.ts';
import { SUBSCRIPTIONS, SUBSCRIPTIONS_SINCE, toChanges } from '../sql/subscriptions.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { Stamps } from './stamps.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

export function createSubscriptionStore(
  database: Database,
  stamps: Stamps,
  devices: Devices,
  table: SubscriptionTable,
  upload: StoreUpload,
): SubscriptionStore {
  const all = database.prepare<{ url: Url }>(SUBSCRIPTIONS);
  const since = database.prepare<{ url: Url; subscribed: boolean }>(SUBSCRIPTIONS_SINCE);

  return {
    current: (user, device) =>
      database.read(async (connection) =>
        device === undefined
          ? (await all.all(connection, { user })).map(({ url }) => url)
          : table.current(connection, user, [device]),
      ),

    since: (user, device, mark) =>
      database.writeFor(user, async (connection) => {
        const { last } = await stamps.holdUser(connection, user);
        const items = await since.all(connection, { user, device, since: mark });
        return { mark: markAfter(last), items: items.map(({ url, subscribed }) => ({ url, subscribed })) };
      }),

    apply: (user, device, changes, sender) =>
      database.writeFor(user, (connection) =>
        upload(connection, { user, devices: [device], origin: originOf([device], sender) }, async (order) =>
          table.change(connection, user, await devices.following(connection, user, device), changes, order),
        ),
      ),

    replace: (user, device, urls, sender) =>
      database.writeFor(user, (connection) =>
        upload(connection, { user, devices: [device], origin: originOf([device], sender) }, async (order) => {
          const changes = toChanges(await table.current(connection, user, [device]), urls);
          return table.change(connection, user, await devices.following(connection, user, device), changes, order);
        }),
      ),
  };
}
