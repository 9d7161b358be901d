import { regroup } from '../../domain/group.ts';
import { markAfter, markAfterUpload, nextStamp } from '../../domain/stamp.ts';
import type { Device, EpisodeAction, Seconds, Stamp, Url, UserId } from '../../domain/types.ts';
import { mapInSlices } from '../../slices.ts';
import { devicesPrefix } from '../accounts/account-keys.ts';
import type { Account } from '../accounts/account.ts';
import type { Decision, Write } from '../accounts/accounts.ts';
import { type Head, overlappedBy, withUpload } from '../accounts/head.ts';
import { privateFeeds } from '../accounts/settings.ts';
import { mergeBatches } from '../batch.ts';
import type { Core } from '../core.ts';
import { type DirectoryChange, prepareChange } from '../directory/account-changes.ts';
import { actionIndexEntry } from '../directory/keys.ts';
import { replaceRows } from '../rows.ts';
import { writeActions } from './action-log.ts';
import { DeviceTable } from './device-table.ts';
import { newFeedsLeft, withNewFeeds } from './new-feeds.ts';
import { changeSubscriptions, type DeviceChange, type SubscriptionUpload } from './propagation.ts';
import type { SubscriptionDraft } from './subscription-draft.ts';

/** An upload. Its subscriptions and actions get one stamp. */
interface Upload extends SubscriptionUpload {
  /** See `originOf`. */
  origin: string | undefined;
  actions?: readonly EpisodeAction[];
  /** The new groups. */
  groups?: readonly (readonly string[])[];
  /** Changes of the first device. */
  patch?: Partial<Omit<Device, 'id'>>;
}

/** Stores an upload under one stamp and returns the mark; see `domain/stamp`. */
export const storeUpload = (
  core: Core,
  user: UserId,
  decide: (account: Account, devices: DeviceTable) => Upload | Promise<Upload>,
): Promise<Stamp> =>
  core.accounts.write(user, async (account) => {
    const devices = await core.accounts.part(account, 'devices');
    return toDecision(core, account, devices, await decide(account, devices));
  });

async function toDecision(core: Core, account: Account, before: DeviceTable, upload: Upload): Promise<Decision<Stamp>> {
  const { head } = account;
  const { actions = [] } = upload;
  const change = changeDevices(before, upload, head);
  const { devices } = change;
  const now = core.context.now();
  const stamp = nextStamp(now, head.stamp);
  const next = head.next + devices.rows.length - before.rows.length;
  const { draft, isMerged } = await changeSubscriptions(core, account, upload, change, { stamp, next });

  // A device that joins a group receives feeds it has not seen, so its mark must stay below this upload.
  const origin = isMerged ? undefined : upload.origin;
  const device = origin === undefined ? undefined : devices.get(origin)?.number;
  const overlapped = overlappedBy(head.recentUploads, device, now - core.context.overlap);
  if (!draft && actions.length === 0) {
    const result = markAfterUpload(markAfter(head.stamp), overlapped);
    if (devices === before) return { result };
    return { result, write: { ...(await writeDevices(account, before, devices)), head: { next } } };
  }

  const writes: Write[] = [];
  if (devices !== before) writes.push(await writeDevices(account, before, devices));
  if (draft) writes.push({ parts: ['subscriptions'] }, ...(await draft.write(account.id)));
  const { set: chunks, head: actionHead } = await writeActions(account.id, head, actions, { stamp, at: now });
  writes.push({ set: chunks }, await indexFeeds(account, actions));
  const directory = draft && (await prepareDirectory(core, account, draft, now));
  const { check, set, delete: deleted } = mergeBatches(writes);
  return {
    result: markAfterUpload(isMerged ? stamp - 1 : markAfter(stamp), overlapped),
    write: {
      // One by one: a spread took 10 us, 5 % of an upload of 30 actions.
      check,
      set,
      delete: deleted,
      parts: writes.flatMap(({ parts = [] }) => parts),
      head: {
        ...withNewFeeds(head, directory?.newFeeds ?? 0, now),
        ...actionHead,
        stamp,
        next: draft?.next ?? next,
        recentUploads: withUpload(head.recentUploads, [stamp, now, device], core.context.overlap),
      },
      directory,
      async apply() {
        for (const { apply } of writes) if (apply) await apply();
        const keys = chunks.map(([key]) => key);
        if (actions.length > 0) account.fingerprints.add(actions, keys, stamp, head.actionStamp);
      },
    },
  };
}

/** Indexes the feeds of actions, except those that this process has indexed before: most uploads have no others. */
async function indexFeeds(account: Account, actions: readonly EpisodeAction[]): Promise<Write> {
  const feeds = new Set<Url>();
  for (const { podcast } of actions) if (!account.hasActionFeed(podcast)) feeds.add(podcast);
  return {
    set: await mapInSlices(feeds, (url) => actionIndexEntry(url, account.id)),
    apply: () => account.addActionFeeds(feeds),
  };
}

/** Prepares the directory change for changed subscriptions. Reads the settings only if they matter. */
async function prepareDirectory(
  core: Core,
  { id, head }: Account,
  draft: SubscriptionDraft,
  now: Seconds,
): Promise<DirectoryChange> {
  const change = await draft.difference();
  const isPrivate = change.subscribed.length > 0 ? await privateFeeds(core, id, head) : undefined;
  return prepareChange(core.directory, id, { ...change, isPrivate, newFeeds: newFeedsLeft(head, now) });
}

function changeDevices(before: DeviceTable, { devices: named, patch, groups }: Upload, head: Head): DeviceChange {
  const unknown = named.filter((id) => !before.get(id));
  let devices = unknown.length > 0 ? before.with(unknown, head.next) : before;
  // With `sync_devices`, all devices follow each other.
  const areAllJoined = unknown.length > 0 && head.syncDevices;
  const joined = areAllJoined ? regroup(before.groups, [devices.rows.map(({ id }) => id)], []) : groups;
  if (joined) devices = devices.grouped(joined);
  if (patch) devices = devices.patched(named[0]!, patch);
  return { before, devices, groups: joined ?? [] };
}

/** The write that replaces the devices of an account. */
export async function writeDevices(account: Account, before: DeviceTable, { rows }: DeviceTable) {
  const replaced = await replaceRows(devicesPrefix(account.id), rows, before.keys);
  const keys = replaced.set.map(([key]) => key);
  return {
    ...replaced,
    parts: ['devices'] as const,
    apply: () => void (account.parts.devices = new DeviceTable(rows, keys)),
  };
}
