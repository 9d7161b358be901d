import type { Device, PodcastList, Seconds, Stamp, SubscriptionChange, Url } from '../../../src/old-plugin.ts';
import type { ActionBatch } from './action-batch.ts';
import type { SettingChange } from './setting-table.ts';

/** What one write does to an account. Applied in the order of the journal, live and when it is replayed. */
export interface AccountWrite {
  changes: AccountChange[];
  /** Applied after `changes`. */
  upload?: (Upload & { changes: UploadChange[] }) | undefined;
}

/** A change that takes no stamp. */
export type AccountChange =
  | { kind: 'device'; device: Device }
  | { kind: 'groups'; groups: string[][] }
  | ({ kind: 'setting' } & SettingChange)
  | { kind: 'list'; list: PodcastList }
  | { kind: 'remove-list'; name: string };

/** A change that gets the stamp of its upload. Each of several devices takes the part that is new to it. */
export type UploadChange =
  | { kind: 'subscribe'; devices: string[]; changes: SubscriptionChange[] }
  | { kind: 'act'; actions: ActionBatch };

/** The feeds that a change is about. */
export const feedsIn = (change: UploadChange): Url[] =>
  change.kind === 'subscribe'
    ? change.changes.map(({ url }) => url)
    : change.actions.actions.map(({ podcast }) => podcast);

/** The feeds that a write is about. */
export const feedsOf = ({ upload }: AccountWrite): Url[] =>
  ([] as Url[]).concat(...(upload?.changes.map(feedsIn) ?? [])); // flatMap takes ten times as long

/** An upload that changed something. `origin` is the device that sent it, where that is sure. */
export interface Upload {
  stamp: Stamp;
  at: Seconds;
  origin?: string | undefined;
}

/** Characters that a write adds to the account's own file, about. Actions have files of their own. */
export const growthOf = ({ changes, upload }: AccountWrite): number =>
  sum(changes.map(growthOfChange)) + sum(upload?.changes.map(growthOfUpload) ?? []);

function growthOfChange(change: AccountChange): number {
  if (change.kind === 'remove-list' || (change.kind === 'setting' && change.set.length === 0)) return 0;
  return JSON.stringify(change).length;
}

const growthOfUpload = (change: UploadChange): number =>
  change.kind === 'act' ? 0 : change.devices.length * JSON.stringify(change.changes).length;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
