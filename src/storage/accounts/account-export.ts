import { groupBy, inBatches } from '../../batches.ts';
import { compareScopes, scopeKey } from '../../domain/scope.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Json, ListSummary, SettingScope, UserId } from '../../domain/types.ts';
import type { Key } from '../contract.ts';
import type { Core } from '../core.ts';
import { byPlace, readRows, scan } from '../rows.ts';
import type { UserRecord } from '../stores.ts';
import { pagesOf, scanActions, storedActions } from '../sync/action-log.ts';
import { type DeviceTable, toDevice } from '../sync/device-table.ts';
import { readFeeds, readLists } from '../sync/podcast-lists.ts';
import type { SubscriptionLists } from '../sync/subscription-lists.ts';
import { valueOf, valuesOf } from '../values.ts';
import { settingsPrefix } from './account-keys.ts';
import { readAppPasswords } from './app-passwords.ts';
import { toUser } from './head.ts';
import { readSessions } from './sessions.ts';
import type { StoredSetting } from './settings.ts';

/** Records per page. */
const PAGE = 1000;
/** Approximate characters of settings per page. */
const PAGE_SIZE = 1024 * 1024;

/**
 * Exports an account as of the moment when the first page is requested. Only settings and lists that change after it, before
 * their turn, are exported as they are then: all of them may not fit in memory.
 */
export async function* exportAccount(core: Core, user: UserId): AsyncGenerator<UserRecord[]> {
  for (const pages of await readAccount(core, user)) yield* pages;
  await core.accounts.read(user, [], () => undefined); // if it was removed meanwhile, some of it may be missing
}

/**
 * Reads everything in one snapshot, except the actions, and the values of settings and lists: they are read page by page.
 * Uploads to this process wait meanwhile: an account that syncs without a pause must not hold up a backup forever.
 */
const readAccount = (core: Core, user: UserId): Promise<(Iterable<UserRecord[]> | AsyncIterable<UserRecord[]>)[]> =>
  core.accounts.write(user, async (account) => {
    const { head } = account;
    const devices = await core.accounts.part(account, 'devices');
    const subscriptions = await core.accounts.part(account, 'subscriptions');
    const scopes = await readScopes(core, user);
    const lists = await readLists(core, user);
    const appPasswords = await readAppPasswords(core, user);
    const sessions = await readSessions(core, user, head.sessionEpoch);
    const { id: _, ...details } = toUser(user, head);
    const before: UserRecord[] = [
      { kind: 'user', ...details, stamp: head.stamp },
      ...deviceRecords(devices),
      ...subscriptionRecords(devices, subscriptions),
    ];
    const after: UserRecord[] = [
      ...appPasswords.map(({ user: _user, ...appPassword }) => ({ kind: 'appPassword' as const, ...appPassword })),
      ...sessions
        .map(({ digest, expiresAt }) => ({ kind: 'session' as const, digest, expiresAt }))
        .toSorted((a, b) => compareText(a.digest, b.digest)),
    ];
    return {
      result: [
        inBatches(before, PAGE),
        pagesOf(scanActions(core.store, user, [0, head.actionStamp]), storedActions),
        settingPages(core, scopes),
        listPages(core, user, lists),
        inBatches(after, PAGE),
      ],
    };
  });

function deviceRecords({ rows, groups }: DeviceTable): UserRecord[] {
  const devices = rows.map((row, i) => ({ kind: 'device' as const, device: toDevice(row), place: i + 1 }));
  return [
    ...devices.toSorted((a, b) => compareText(a.device.id, b.device.id)),
    ...groups
      .map((group) => group.toSorted(compareText))
      .toSorted(([a], [b]) => compareText(a!, b!))
      .map((group) => ({ kind: 'group' as const, devices: group })),
  ];
}

function subscriptionRecords(devices: DeviceTable, subscriptions: SubscriptionLists): UserRecord[] {
  const rows = devices.rows.flatMap(({ id, number }) =>
    Array.from(subscriptions.of(number).rows(), (row) => ({ device: id, row })),
  );
  const places = new Map(
    rows
      .map(({ row }) => row.place)
      .toSorted((a, b) => a - b)
      .map((place, i) => [place, i + 1]),
  );
  // Rows of one device are in upload order already.
  rows.sort((a, b) => a.row.stamp - b.row.stamp || compareText(a.device, b.device));
  return rows.map(({ device, row: { url, subscribed, stamp, place } }) => ({
    kind: 'subscription',
    device,
    url,
    subscribed,
    stamp,
    place: places.get(place)!,
  }));
}

/** The settings of one scope. */
interface StoredScope {
  scope: SettingScope;
  keys: Key[];
  /** Characters. */
  size: number;
}

/** The scopes of all settings, in the order of an export. */
async function readScopes({ store }: Core, user: UserId): Promise<StoredScope[]> {
  const scopes = new Map<string, StoredScope>();
  for await (const page of scan(store, settingsPrefix(user))) {
    for (const entry of page) {
      const { scope } = valueOf<StoredSetting>(entry);
      const id = scopeKey(scope);
      const stored = scopes.get(id) ?? { scope, keys: [], size: 0 };
      scopes.set(id, stored);
      stored.keys.push(entry.key);
      stored.size += entry.value.length;
    }
  }
  return [...scopes.values()].toSorted((a, b) => compareScopes(a.scope, b.scope));
}

async function* settingPages({ store }: Core, scopes: readonly StoredScope[]): AsyncGenerator<UserRecord[]> {
  for (const batch of batchesOf(scopes)) {
    const settings = valuesOf<StoredSetting>(await store.get(batch.flatMap(({ keys }) => keys)));
    const records = groupBy(settings.toSorted(byPlace), ({ scope }) => scopeKey(scope));
    const page = batch.flatMap(({ scope }): UserRecord[] => {
      const values = records.get(scopeKey(scope))?.map(({ key, value }): [string, Json] => [key, value]);
      return values ? [{ kind: 'settings', scope, values }] : []; // undefined if they were removed meanwhile
    });
    if (page.length > 0) yield page;
  }
}

/** Scopes that are read together. */
function* batchesOf(scopes: readonly StoredScope[]): Iterable<StoredScope[]> {
  let batch: StoredScope[] = [];
  let size = 0;
  for (const scope of scopes) {
    batch.push(scope);
    size += scope.size;
    if (size < PAGE_SIZE && batch.length < PAGE) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

async function* listPages(core: Core, user: UserId, lists: readonly ListSummary[]): AsyncGenerator<UserRecord[]> {
  for (const list of lists) {
    const entries = await readFeeds(core, user, list.name);
    if (entries.length > 0) yield [{ kind: 'list', list: { ...list, urls: readRows(entries) } }];
  }
}
