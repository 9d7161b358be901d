import { originOf, type Sender, type SubscriptionChange, type SubscriptionStore } from '../../../src/old-plugin.ts';
import type { Account } from './account.ts';
import type { Database } from './database.ts';
import { type Decision, upload } from './upload.ts';

export const createSubscriptionStore = (database: Database): SubscriptionStore => ({
  async current(user, device) {
    const account = await database.account(user);
    const rows = device === undefined ? account.subscribed() : account.list(device).current();
    return [...new Set(rows.map(({ url }) => url))];
  },

  async since(user, device, since) {
    const account = await database.account(user);
    return { items: account.list(device).since(since), mark: database.mark(account) };
  },

  apply: (user, device, changes, sender) =>
    upload(database, user, (account) => subscribe(account, device, account.list(device).effective(changes), sender)),

  replace: (user, device, urls, sender) =>
    upload(database, user, (account) => subscribe(account, device, account.list(device).difference(urls), sender)),
});

const subscribe = (account: Account, device: string, changes: SubscriptionChange[], sender?: Sender): Decision => ({
  devices: [device],
  origin: originOf([device], sender),
  changes: changes.length > 0 ? [{ kind: 'subscribe', devices: account.following(device), changes }] : [],
});
