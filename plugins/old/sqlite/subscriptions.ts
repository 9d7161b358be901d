import { markAfter, originOf, type SubscriptionStore, type Url } from '../../../src/old-plugin.ts';
import { SUBSCRIPTIONS, SUBSCRIPTIONS_SINCE, toChanges } from '../sql/subscriptions.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

export function createSubscriptionStore(
  database: Database,
  devices: Devices,
  table: SubscriptionTable,
  upload: StoreUpload,
): SubscriptionStore {
  const all = database.prepare<{ url: Url }>(SUBSCRIPTIONS);
  const since = database.prepare<{ url: Url; subscribed: number }>(SUBSCRIPTIONS_SINCE);

  return {
    current: (user, device) =>
      database.read(() =>
        device === undefined ? all.all({ user }).map(({ url }) => url) : table.current(user, [device]),
      ),

    since: (user, device, mark) =>
      database.read(() => ({
        mark: markAfter(database.lastStamp(user)),
        items: since
          .all({ user, device, since: mark })
          .map(({ url, subscribed }) => ({ url, subscribed: subscribed === 1 })),
      })),

    apply: (user, device, changes, sender) =>
      database.write(() =>
        upload({ user, devices: [device], origin: originOf([device], sender) }, (order) =>
          table.change(user, devices.following(user, device), changes, order),
        ),
      ),

    replace: (user, device, urls, sender) =>
      database.write(() =>
        upload({ user, devices: [device], origin: originOf([device], sender) }, (order) => {
          const changes = toChanges(table.current(user, [device]), urls);
          return table.change(user, devices.following(user, device), changes, order);
        }),
      ),
  };
}
