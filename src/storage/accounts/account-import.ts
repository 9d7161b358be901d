import { randomUUID } from 'node:crypto';
import { groupBy } from '../../batches.ts';
import type { EpisodeAction, ListSummary, Stamp, Url, UserId } from '../../domain/types.ts';
import type { Core } from '../core.ts';
import { type DirectoryChange, prepareChange } from '../directory/account-changes.ts';
import { actionIndexEntry } from '../directory/keys.ts';
import { isStorageError, StorageError } from '../errors.ts';
import { byPlace, writeRows } from '../rows.ts';
import type { UserRecord, UserRecordOf } from '../stores.ts';
import { writeActions } from '../sync/action-log.ts';
import { DeviceTable, toDevice } from '../sync/device-table.ts';
import { writeLists } from '../sync/podcast-lists.ts';
import { toStored } from '../sync/subscription-list.ts';
import { devicesPrefix, headKey, listPrefix, subscriptionListPrefix } from './account-keys.ts';
import { APP_PASSWORDS, SESSIONS } from './digest-table.ts';
import { type Head, newHead } from './head.ts';
import { loginKeys, requireFreeLogins, setLogins } from './logins.ts';
import { isPrivacySetting, toPrivacy } from './privacy.ts';
import { removeAccountData } from './removal.ts';
import { settingKey, type StoredSetting, SYNC_DEVICES } from './settings.ts';
import { StagedWriter } from './staged-writer.ts';

/** Actions of an upload that are buffered before they are written. */
const MAX_BUFFERED = 5000;

/**
 * Creates an account: a large one is staged in invisible batches, and published with the last commit. After a crash,
 * `removeAbandoned` removes the staged data.
 */
export async function importAccount(
  core: Core,
  records: AsyncIterable<UserRecord[]> | Iterable<UserRecord[]>,
): Promise<UserId> {
  const account = new StagedAccount(core, randomUUID() as UserId);
  try {
    for await (const page of records) await account.add(page);
    await account.publish();
    return account.id;
  } catch (error) {
    await account.remove().catch(() => undefined); // removed later otherwise; report the first error
    throw error;
  }
}

/** An account that is being imported. */
class StagedAccount {
  readonly id: UserId;
  readonly #core: Core;
  readonly #writer: StagedWriter;
  #head: Head | undefined;
  readonly #devices: UserRecordOf<'device'>[] = [];
  readonly #groups: string[][] = [];
  readonly #lists: ListSummary[] = [];
  /** Sorted by stamp. */
  readonly #subscriptions: UserRecordOf<'subscription'>[] = [];
  /** The entries of each app password and session. */
  readonly #digests: ReturnType<typeof SESSIONS.entries>[] = [];
  readonly #actionFeeds = new Set<Url>();
  /** The settings that affect privacy. */
  readonly #privacy: StoredSetting[] = [];
  /** Actions of the current upload that are not written yet, and the number of chunks written. */
  #upload = { stamp: 0, at: 0, actions: [] as EpisodeAction[], chunks: 0 };
  /** The oldest stamp that may overlap the next upload. */
  #overlapped: Stamp | undefined;

  constructor(core: Core, id: UserId) {
    this.#core = core;
    this.id = id;
    this.#writer = new StagedWriter(core, id);
  }

  /** Throws `corrupt` before the user record was added. */
  get head(): Head {
    if (!this.#head) throw new StorageError('corrupt', 'the first record of an account must be its user');
    return this.#head;
  }

  async remove(): Promise<void> {
    if (this.#writer.isStaged) await removeAccountData(this.#core, this.id, this.#writer);
  }

  async add(records: readonly UserRecord[]): Promise<void> {
    for (const record of records) {
      if (record.kind !== 'user') await this.#add(record, this.head);
      else {
        const { kind: _, stamp, ...user } = record;
        this.#head = { ...newHead(user), stamp };
        await requireFreeLogins(this.#core.store, user); // before the rest is written
      }
      await this.#writer.flushIfDue();
    }
  }

  async #add(record: Exclude<UserRecord, { kind: 'user' }>, head: Head): Promise<void> {
    switch (record.kind) {
      case 'device':
        this.#devices.push(record);
        break;
      case 'group':
        this.#groups.push(record.devices);
        break;
      case 'subscription':
        this.#subscriptions.push(record);
        this.#trackStamp(record.stamp);
        break;
      case 'action':
        await this.#addAction(record);
        break;
      case 'settings':
        this.#set(record);
        break;
      case 'list': {
        const { urls, ...summary } = record.list;
        this.#lists.push(summary);
        this.#writer.put(await writeRows(listPrefix(this.id, summary.name), urls));
        break;
      }
      case 'appPassword': {
        const { kind: _, ...appPassword } = record;
        this.#digests.push(APP_PASSWORDS.entries({ ...appPassword, user: this.id }));
        break;
      }
      case 'session': {
        const { kind: _, ...session } = record;
        this.#digests.push(SESSIONS.entries({ ...session, user: this.id, epoch: head.sessionEpoch }));
      }
    }
  }

  #set({ scope, values }: UserRecordOf<'settings'>): void {
    for (const [key, value] of values) {
      const setting = { scope, key, value, place: this.head.next++ };
      this.#writer.put([[settingKey(this.id, setting), JSON.stringify(setting)]]);
      if (isPrivacySetting(setting)) this.#privacy.push(setting);
      if (scope.kind === 'account' && key === SYNC_DEVICES) this.head.syncDevices = value === true;
    }
  }

  async #addAction({ action, stamp, uploadedAt }: UserRecordOf<'action'>): Promise<void> {
    if (stamp < this.#upload.stamp) throw new StorageError('corrupt', 'the actions are not sorted by stamp');
    if (stamp !== this.#upload.stamp) {
      await this.#endUpload();
      this.#upload = { stamp, at: uploadedAt, actions: [], chunks: 0 };
      this.#trackStamp(stamp);
    }
    this.#upload.actions.push(action);
    this.#actionFeeds.add(action.podcast);
    if (this.#upload.actions.length >= MAX_BUFFERED) await this.#endUpload();
  }

  /** Writes the buffered actions of the current upload, which may continue. */
  async #endUpload(): Promise<void> {
    const upload = this.#upload;
    const { set, head } = await writeActions(this.id, this.head, upload.actions, upload, upload.chunks);
    this.#writer.put(set);
    Object.assign(this.head, head);
    upload.chunks += set.length;
    upload.actions = [];
  }

  #trackStamp(stamp: Stamp): void {
    const { context } = this.#core;
    this.head.stamp = Math.max(this.head.stamp, stamp);
    if (stamp > context.now() - context.overlap) this.#overlapped = Math.min(this.#overlapped ?? Infinity, stamp);
  }

  /** Writes the rest and publishes the account. */
  async publish(): Promise<void> {
    const { head } = this;
    const { context, directory } = this.#core;
    await this.#endUpload();
    for (const url of this.#actionFeeds) {
      this.#writer.put([actionIndexEntry(url, this.id)]);
      await this.#writer.flushIfDue();
    }
    const devices = this.#toDevices();
    const firstPlace = devices.rows.length; // before it, the numbers of the devices
    head.next = Math.max(head.next, firstPlace + 1);
    this.#writer.put([writeLists(this.id, this.#lists)]);
    this.#writer.put(await writeRows(devicesPrefix(this.id), devices.rows));
    const subscribed = new Set<Url>();
    for (const [id, records] of groupBy(this.#subscriptions, ({ device }) => device)) {
      const number = devices.get(id)?.number;
      if (number === undefined) throw new StorageError('corrupt', 'a subscription refers to a missing device');
      const rows = records.map((record) => ({ ...record, place: firstPlace + record.place }));
      for (const row of rows) {
        if (row.subscribed) subscribed.add(row.url);
        head.next = Math.max(head.next, row.place + 1);
      }
      this.#writer.put(await writeRows(subscriptionListPrefix(this.id, number), rows.map(toStored)));
      await this.#writer.flushIfDue();
    }
    const { visibility, isPrivate } = toPrivacy(this.#privacy, directory.memory.currentUrl);
    head.visibility = visibility;
    if (this.#overlapped !== undefined) head.recentUploads = [[this.#overlapped, context.now()]];
    // All feeds are pending: they may be imported with the directory.
    const change = await prepareChange(directory, this.id, { subscribed: [...subscribed], isPrivate });
    await this.#publish(head, change);
  }

  async #publish(head: Head, change: DirectoryChange): Promise<void> {
    const { store } = this.#core;
    const logins = loginKeys(head);
    for (;;) {
      const existing = await store.get(this.#digests.map(([[key]]) => key));
      const digests = this.#digests.filter((_, at) => !existing[at]).flat(); // existing ones belong to another account
      const added = [...logins, ...digests.map(([key]) => key)];
      const batch = {
        check: added.map((key) => [key, 0] as const),
        set: [
          [headKey(this.id), JSON.stringify(head)] as const,
          ...setLogins(logins, this.id),
          ...digests,
          ...change.set,
        ],
        delete: change.delete,
      };
      const isStored = await this.#writer.commit(batch, true).catch(async (error: unknown) => {
        if (!isStorageError(error, 'unavailable')) throw error;
        const [found] = await store.get([headKey(this.id)]).catch(() => []);
        if (!found) throw error;
        return true; // the answer was lost
      });
      if (isStored) break;
      await this.#writer.requireCurrent();
      await requireFreeLogins(store, head);
    }
    await change.apply();
  }

  #toDevices(): DeviceTable {
    const devices = this.#devices.toSorted(byPlace).map(({ device }) => device);
    const rows = devices.map((device, i) => ({ number: i + 1, ...toDevice(device) }));
    return new DeviceTable(rows, []).grouped(this.#groups);
  }
}
