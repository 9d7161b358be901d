import { regroup } from '../domain/group.ts';
import { markAfter, markAfterUpload, nextStamp } from '../domain/stamp.ts';
import type { Device, EpisodeAction, Stamp, SubscriptionChange, Url, UserId } from '../domain/types.ts';
import { eachInSlices } from '../slices.ts';
import type { Account } from './account.ts';
import { devicesPrefix } from './account-keys.ts';
import { writeActions } from './action-log.ts';
import type { Core } from './core.ts';
import { type DeviceRow, DeviceTable } from './device-table.ts';
import type { AccountChange, DirectoryChange } from './directory-writer.ts';
import { type Head, overlappedBy, withUpload } from './head.ts';
import { isPrivateEdge, subscriptionKey, urlDigest } from './keys.ts';
import { replaceRows } from './rows.ts';
import { readPrivacy } from './settings.ts';
import { SubscriptionDraft } from './subscription-draft.ts';
import type { Decision, Write } from './transaction.ts';
import { newFeedsLeft, withNewFeeds } from './waiting-feeds.ts';

/** What an upload asks for. Subscriptions and actions get its stamp. */
export interface Upload {
  /** Devices it names; those that are unknown are created. */
  devices: readonly string[];
  /** See `originOf`. */
  origin: string | undefined;
  /** Of all these devices, and of those that follow each other with them. */
  subscriptions?: readonly SubscriptionChange[];
  actions?: readonly EpisodeAction[];
  /** Of the first device. */
  patch?: Partial<Omit<Device, 'id'>>;
  /** The groups from now on. */
  groups?: readonly (readonly string[])[];
}

/** Stores one upload under one stamp and answers the mark; see `domain/stamp`. */
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
  const { devices, groups } = changeDevices(before, upload, head);
  const now = core.context.now();
  const stamp = nextStamp(now, head.stamp);
  const next = head.next + devices.rows.length - before.rows.length;
  const { draft, isMerged } = await changeSubscriptions(core, account, {
    upload,
    before,
    devices,
    groups,
    stamp,
    next,
  });

  // What the others bring is news to a new device: nobody has seen this upload whole, and no mark may pass it.
  const origin = isMerged ? undefined : upload.origin;
  const sender = origin === undefined ? undefined : devices.get(origin)?.number;
  const overlapped = overlappedBy(head.uploads, sender, now - core.context.overlap);
  if (!draft && actions.length === 0) {
    const result = markAfterUpload(markAfter(head.stamp), overlapped);
    if (devices === before) return { result };
    const write = await writeDevices(account, before, devices);
    return { result, write: { ...write, head: { ...write.head, next } } };
  }

  const writes = [
    devices === before ? {} : await writeDevices(account, before, devices),
    draft ? await draft.write(account.id) : {},
    actions.length === 0 ? {} : await writeActionsOf(account, actions, { stamp, at: now }),
  ];
  const acted = new Set<Url>();
  await eachInSlices(actions, ({ podcast }) => account.acted.has(podcast) || acted.add(podcast));
  const directory = await prepareDirectory(core, account, {
    ...(await draft?.difference()),
    acted: [...acted],
    newFeeds: newFeedsLeft(head, now),
  });
  const change: Partial<Head> = {
    ...withNewFeeds(head, directory.newFeeds, now),
    stamp,
    next: draft?.next ?? next,
    uploads: withUpload(head.uploads, sender === undefined ? [stamp, now] : [stamp, now, sender], core.context.overlap),
    revisions: {
      devices: head.revisions.devices + (devices === before ? 0 : 1),
      subscriptions: head.revisions.subscriptions + (draft ? 1 : 0),
    },
  };
  return {
    result: markAfterUpload(isMerged ? stamp - 1 : markAfter(stamp), overlapped),
    write: {
      head: Object.assign({}, ...writes.map((write: Write) => write.head), change),
      set: writes.flatMap(({ set = [] }: Write) => set),
      delete: writes.flatMap((write: Write) => write.delete ?? []),
      directory,
      async apply() {
        for (const write of writes as Write[]) await write.apply?.();
        for (const url of acted) account.acted.add(url);
      },
    },
  };
}

/** What the directory stores of a change of subscriptions: with each, whether it is or was private. */
export async function prepareDirectory(
  core: Core,
  { id, head }: Account,
  change: Omit<AccountChange, 'private'>,
): Promise<DirectoryChange> {
  const prepare = (isPrivate: readonly Url[]): Promise<DirectoryChange> =>
    core.directory.prepare(id, { ...change, private: new Set(isPrivate) });
  const { subscribed = [], unsubscribed = [] } = change;
  if (head.visibility === 'all') return prepare([]);
  if (head.visibility === 'none') return prepare([...subscribed, ...unsubscribed]);
  const { isPrivate } = await readPrivacy(core, id);
  const edges = await core.store.get(unsubscribed.map((url) => subscriptionKey(id, urlDigest(url))));
  const wasPrivate = (at: number): boolean => edges[at] !== undefined && isPrivateEdge(edges[at]);
  return prepare([...subscribed.filter(isPrivate), ...unsubscribed.filter((_, at) => wasPrivate(at))]);
}

interface DeviceChange {
  devices: DeviceTable;
  /** Those whose devices have to be brought to the union of their lists. */
  groups: readonly (readonly string[])[];
}

function changeDevices(before: DeviceTable, { devices: named, patch, groups }: Upload, head: Head): DeviceChange {
  const unknown = named.filter((id) => !before.get(id));
  let devices = unknown.length > 0 ? before.with(unknown, head.next) : before;
  // The user may want all devices to follow each other.
  const areAllJoined = unknown.length > 0 && head.syncDevices;
  const joined = areAllJoined ? regroup(before.groups, [devices.rows.map(({ id }) => id)], []) : groups;
  if (joined) devices = devices.grouped(joined);
  if (patch) devices = devices.patched(named[0]!, patch);
  return { devices, groups: joined ?? [] };
}

interface SubscriptionPlan extends DeviceChange {
  upload: Upload;
  before: DeviceTable;
  stamp: Stamp;
  next: number;
}

/** `isMerged`: whether a device that was created gets feeds that the upload does not bring itself. */
async function changeSubscriptions(
  core: Core,
  account: Account,
  { upload, before, devices, groups, stamp, next }: SubscriptionPlan,
): Promise<{ draft?: SubscriptionDraft; isMerged: boolean }> {
  const { subscriptions: changes = [] } = upload;
  const followers = devices.rows.filter(({ followsAll }) => followsAll);
  const isNew = ({ id }: DeviceRow): boolean => !before.get(id)?.followsAll;
  if (changes.length === 0 && groups.length === 0 && !followers.some(isNew)) return { isMerged: false };
  const draft = new SubscriptionDraft(await core.accounts.part(account, 'subscriptions'), stamp, next);
  const brought = new Set<Url>();
  if (changes.length > 0) {
    const targets = upload.devices.flatMap((id) => {
      const row = before.get(id) ?? devices.get(id)!;
      // Named beside others, it is one of those that are meant.
      const isOneOfMany = row.followsAll && upload.devices.length > 1;
      return isOneOfMany || !before.get(id) ? [row] : before.following(id);
    });
    // Those of one group come several times; only the first changes anything.
    for (const { number } of targets) for (const url of await draft.change(number, changes)) brought.add(url);
  }
  let isMerged = false;
  for (const ids of groups) {
    const merged = await draft.merge(ids.map((id) => devices.get(id)!.number));
    isMerged ||= upload.groups === undefined && merged.some((url) => !brought.has(url));
  }
  for (const follower of followers) {
    const others = devices.rows.filter((row) => row !== follower && (isNew(follower) || !row.followsAll));
    await draft.follow(follower.number, numbersOf(others), isNew(follower) ? 'all' : 'changes');
  }
  return draft.isEmpty ? { isMerged } : { draft, isMerged };
}

const numbersOf = (rows: readonly DeviceRow[]): number[] => rows.map(({ number }) => number);

/** What it takes to store the devices of an account. */
export async function writeDevices(account: Account, before: DeviceTable, { rows }: DeviceTable) {
  const replaced = await replaceRows(devicesPrefix(account.id), rows, before.keys);
  const keys = replaced.set.map(([key]) => key);
  const { revisions } = account.head;
  return {
    ...replaced,
    head: { revisions: { ...revisions, devices: revisions.devices + 1 } },
    apply: () => void (account.parts.devices = new DeviceTable(rows, keys)),
  };
}

async function writeActionsOf(
  account: Account,
  actions: readonly EpisodeAction[],
  upload: { stamp: Stamp; at: number },
): Promise<Write> {
  const { set, fingerprints, latest } = await writeActions(account.id, actions, upload);
  const head = { acted: upload.stamp, latest: Math.max(account.head.latest, latest) };
  return { set, head, apply: () => fingerprints.forEach((each) => account.fingerprints.add(each)) };
}
