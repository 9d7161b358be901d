import { compareScopes, scopeKey } from '../../domain/scope.ts';
import { compareText } from '../../domain/text-order.ts';
import type { UserId } from '../../domain/types.ts';
import { settingsPrefix } from './account-keys.ts';
import { pagesOf, scanActions, storedActions } from '../sync/action-log.ts';
import { readAppPasswords } from './app-passwords.ts';
import type { Core } from './core.ts';
import { type DeviceTable, toDevice } from '../sync/device-table.ts';
import { inBatches } from '../../batches.ts';
import { type Head, toUser } from './head.ts';
import { readLists } from '../sync/podcast-lists.ts';
import { byPlace } from '../rows.ts';
import { readSettings, type StoredSetting } from './settings.ts';
import { readSessions } from './sessions.ts';
import type { UserRecord, UserRecordOf } from '../stores.ts';
import type { SubscriptionLists } from '../sync/subscription-lists.ts';

/** Records per page. */
const PAGE = 1000;

/** Exports an account as of the moment when the first page is requested. */
export async function* exportAccount(core: Core, user: UserId): AsyncGenerator<UserRecord[]> {
  const { head, before, after } = await readAccount(core, user);
  const requireAccount = (): Promise<void> => core.accounts.read(user, [], () => undefined);
  yield* inBatches(before, PAGE);
  for await (const page of pagesOf(scanActions(core.store, user, [0, head.actionStamp]), storedActions)) {
    await requireAccount();
    yield page;
  }
  await requireAccount();
  yield* inBatches(after, PAGE);
}

/** Everything except the actions, as one snapshot: the records before the actions and those after them. */
async function readAccount(
  core: Core,
  user: UserId,
): Promise<{ head: Head; before: UserRecord[]; after: UserRecord[] }> {
  const { accounts } = core;
  for (;;) {
    const { version, head, before } = await accounts.read(user, ['devices', 'subscriptions'], (account, parts) => {
      const { id: _, ...details } = toUser(user, account.head);
      const first: UserRecord = { kind: 'user', ...details, stamp: account.head.stamp };
      const records = [first, ...deviceRecords(parts.devices), ...subscriptionRecords(parts)];
      return { version: account.version, head: account.head, before: records };
    });
    const settings = await readSettings(core, settingsPrefix(user));
    const lists = await readLists(core, user);
    const appPasswords = await readAppPasswords(core, user);
    const sessions = await readSessions(core, user, head.sessionEpoch);
    if ((await accounts.read(user, [], (account) => account.version)) !== version) continue;
    const after: UserRecord[] = [
      ...settingRecords(settings),
      ...lists.map((list) => ({ kind: 'list' as const, list })),
      ...appPasswords.map(({ user: _user, ...appPassword }) => ({ kind: 'appPassword' as const, ...appPassword })),
      ...sessions
        .map(({ digest, expiresAt }) => ({ kind: 'session' as const, digest, expiresAt }))
        .toSorted((a, b) => compareText(a.digest, b.digest)),
    ];
    return { head, before, after };
  }
}

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

function subscriptionRecords(parts: { devices: DeviceTable; subscriptions: SubscriptionLists }): UserRecord[] {
  const rows = parts.devices.rows.flatMap(({ id, number }) =>
    Array.from(parts.subscriptions.of(number).rows(), (row) => ({ device: id, row })),
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

function settingRecords(settings: readonly StoredSetting[]): UserRecord[] {
  const scopes = new Map<string, UserRecordOf<'settings'>>();
  for (const { scope, key, value } of settings.toSorted(byPlace)) {
    const id = scopeKey(scope);
    const record = scopes.get(id) ?? { kind: 'settings', scope, values: [] };
    scopes.set(id, record);
    record.values.push([key, value]);
  }
  return [...scopes.values()].toSorted((a, b) => compareScopes(a.scope, b.scope));
}
