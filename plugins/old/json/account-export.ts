import { compareScopes, compareText, type User, type UserId, type UserRecord } from '../../../src/old-plugin.ts';
import { pagesOf, toGroupRecords } from '../user-records.ts';
import type { Account } from './account.ts';
import type { Database } from './database.ts';

/** All of an account as it is when the first page is asked for. */
export async function* exportAccount(database: Database, id: UserId): AsyncGenerator<UserRecord[]> {
  const { registry } = database;
  const account = await database.account(id);
  const user = registry.user(id);
  const before = [...aboutDevices(user, account)];
  const actions = account.history.all();
  const after = [...aboutSettings(account), ...sessionsOf(database, id)];

  yield* pagesOf(before);
  for await (const page of registry.whileThere(id, actions)) {
    registry.user(id); // throws when the account was removed meanwhile
    yield page.map((stored) => ({ kind: 'action', ...stored }));
  }
  registry.user(id);
  yield* pagesOf(after);
}

function* aboutDevices(user: User, account: Account): Iterable<UserRecord> {
  const { id: _, ...details } = user;
  yield { kind: 'user', ...details, stamp: account.stamp };
  const devices = [...account.devices.values()].map((device, index) => ({ device, place: index + 1 }));
  for (const { device, place } of devices.toSorted((a, b) => compareText(a.device.id, b.device.id))) {
    yield { kind: 'device', device, place };
  }
  yield* toGroupRecords(account.groups);
  yield* subscriptions(account);
}

function* subscriptions(account: Account): Iterable<UserRecord> {
  const rows = [...account.devices.keys()].flatMap((device) =>
    account
      .list(device)
      .rows()
      .map((row) => ({ device, row })),
  );
  const orders = rows.map(({ row }) => row.order).toSorted((a, b) => a - b);
  const places = new Map(orders.map((order, index) => [order, index + 1]));
  // Those of one device stand in the order of upload already.
  rows.sort((a, b) => a.row.stamp - b.row.stamp || compareText(a.device, b.device));
  for (const { device, row } of rows) {
    const { url, subscribed, stamp, order } = row;
    yield { kind: 'subscription', device, url, subscribed, stamp, place: places.get(order)! };
  }
}

function* aboutSettings(account: Account): Iterable<UserRecord> {
  const settings = account.settings.rows().toSorted((a, b) => compareScopes(a.scope, b.scope));
  for (const { scope, values } of settings) yield { kind: 'settings', scope, values };
  for (const list of account.lists.values()) yield { kind: 'list', list };
}

function* sessionsOf({ registry }: Database, user: UserId): Iterable<UserRecord> {
  const own = [...registry.sessions.values()].filter((session) => session.user === user);
  for (const { digest, expiresAt } of own.toSorted((a, b) => compareText(a.digest, b.digest))) {
    yield { kind: 'session', digest, expiresAt };
  }
}
