import { markAfter, originOf } from 'podsync/old-plugin';
import { meet } from './podcasts.js';
import { upload } from './upload.js';

/** @import { OpenContext, Sender, Stamp, SubscriptionChange, SubscriptionStore, UserId } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** @type {(data: Data, context: OpenContext) => SubscriptionStore} */
export function createSubscriptionStore(data, context) {
  /** @type {(user: UserId, device: string, changes: readonly SubscriptionChange[], sender?: Sender) => Stamp} */
  const apply = (user, device, changes, sender) => {
    const account = data.account(user);
    meet(
      data,
      changes.filter(({ subscribed }) => subscribed).map(({ url }) => url),
      context.now(),
    );
    const group = account.groups.find((devices) => devices.includes(device)) ?? [device];
    return upload(account, context, { devices: [device], origin: originOf([device], sender) }, (stamp) =>
      account.subscribe(group, changes, stamp),
    );
  };

  return {
    async current(user, device) {
      const account = data.account(user);
      return account.subscribed(device === undefined ? account.devices.keys() : [device]);
    },

    async since(user, device, since) {
      const { rows, last } = data.account(user);
      const changed = [...rows.values()].filter((row) => row.device === device && row.stamp >= since);
      const items = changed.map(({ url, subscribed }) => ({ url, subscribed }));
      return { items, mark: markAfter(last) };
    },

    async apply(user, device, changes, sender) {
      return apply(user, device, changes, sender);
    },

    async replace(user, device, urls, sender) {
      const wanted = new Set(urls);
      const gone = data
        .account(user)
        .subscribed([device])
        .filter((url) => !wanted.has(url));
      const changes = [
        ...gone.map((url) => ({ url, subscribed: false })),
        ...urls.map((url) => ({ url, subscribed: true })),
      ];
      return apply(user, device, changes, sender);
    },
  };
}
