import type { SubscriptionChange, Url } from '../../domain/types.ts';
import type { Account } from '../accounts/account.ts';
import type { Head } from '../accounts/head.ts';
import type { Core } from '../core.ts';
import type { DeviceRow, DeviceTable } from './device-table.ts';
import { SubscriptionDraft } from './subscription-draft.ts';

/** The part of an upload that changes subscriptions. */
export interface SubscriptionUpload {
  /** Devices of the upload; unknown ones are created. */
  devices: readonly string[];
  /** Changes for all these devices and their groups. */
  subscriptions?: readonly SubscriptionChange[];
}

/** The devices of an account before and after an upload. */
export interface DeviceChange {
  before: DeviceTable;
  devices: DeviceTable;
  /** Groups whose devices need the union of their lists. */
  groups: readonly (readonly string[])[];
}

/**
 * Applies the subscription changes of an upload to its devices and to all that follow them: devices of a group have the
 * union of their lists, and a device that follows all others receives the changes of each. `isMerged`: whether a
 * device of a new group gets feeds that are not part of the upload.
 */
export async function changeSubscriptions(
  core: Core,
  account: Account,
  upload: SubscriptionUpload,
  { before, devices, groups }: DeviceChange,
  { stamp, next }: Pick<Head, 'stamp' | 'next'>,
): Promise<{ draft?: SubscriptionDraft; isMerged: boolean }> {
  const { subscriptions: changes = [] } = upload;
  const followers = devices.rows.filter(({ followsAll }) => followsAll);
  const isNew = ({ id }: DeviceRow): boolean => !before.get(id)?.followsAll;
  if (changes.length === 0 && groups.length === 0 && !followers.some(isNew)) return { isMerged: false };
  const draft = new SubscriptionDraft(await core.accounts.part(account, 'subscriptions'), stamp, next);
  const added = new Set<Url>();
  const targets = upload.devices.flatMap((id) => {
    const row = before.get(id);
    if (!row) return [devices.get(id)!];
    // Named together with other devices, it is only one of them, and does not stand for all.
    return row.followsAll && upload.devices.length > 1 ? [row] : before.following(row);
  });
  for (const device of new Set(numbersOf(targets))) {
    for (const url of await draft.change(device, changes)) added.add(url);
  }
  let isMerged = false;
  for (const ids of groups) {
    const merged = await draft.merge(ids.map((id) => devices.get(id)!.number));
    isMerged ||= merged.some((url) => !added.has(url));
  }
  const known = followers.filter((row) => !isNew(row));
  if (known.length > 0) {
    const others = devices.rows.filter(({ followsAll }) => !followsAll);
    await draft.merge(numbersOf(known), numbersOf(others), 'changes');
  }
  for (const { number } of followers.filter(isNew)) await draft.merge([number], numbersOf(devices.rows));
  return draft.isEmpty ? { isMerged } : { draft, isMerged };
}

const numbersOf = (rows: readonly DeviceRow[]): number[] => rows.map(({ number }) => number);
