import { join } from 'node:path';
import {
  type Device,
  markAfter,
  type PodcastList,
  regroup,
  type Seconds,
  type Stamp,
  StorageError,
  type SubscriptionChange,
  type Url,
} from '../../../src/old-plugin.ts';
import { type AccountChange, type AccountWrite, growthOf, type Upload, type UploadChange } from './account-write.ts';
import { History, type SegmentSummary } from './history.ts';
import { type SettingRow, SettingTable } from './setting-table.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { type Row, SubscriptionList } from './subscription-list.ts';

/** What is known of a device until a client says more. */
export const NEW_DEVICE = { caption: '', type: 'other' } as const;

interface AccountFile extends AccountContent {
  /** The number of the newest change in it. */
  seq: number;
}

/** What is stored in the account's own file. */
interface AccountContent {
  stamp: Stamp;
  nextOrder: number;
  devices: Device[];
  groups: string[][];
  subscriptions: { device: string; rows: Row[] }[];
  uploads: Upload[];
  segments: SegmentSummary[];
  settings: SettingRow[];
  lists: PodcastList[];
}

/**
 * The content of a new account, which has not even a device. Its newest stamp is the time it was made, so that a stamp
 * always reads like a time.
 */
export const newContent = (stamp: Stamp): AccountContent => ({
  stamp,
  nextOrder: 0,
  devices: [],
  groups: [],
  subscriptions: [],
  uploads: [],
  segments: [],
  settings: [],
  lists: [],
});

/** The most characters of the account's own file: it is read into one string, and strings have an end. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** All that belongs to one user, except what the registry has: name, password and sessions. */
export class Account {
  readonly history: History;
  readonly devices: Map<string, Device>;
  readonly settings: SettingTable;
  readonly lists: Map<string, PodcastList>;
  /** Devices that follow each other: their lists hold the same feeds. Replaced, never changed. */
  groups: string[][];
  /** The user's newest stamp. */
  stamp: Stamp;
  /** Stamp of a write that is under way. */
  pending: Stamp | undefined;
  readonly #folder: string;
  readonly #file: Snapshot<AccountFile>;
  readonly #subscriptions: Map<string, SubscriptionList>;
  /** Uploads that another may still overlap, oldest first; of those from one origin in one second only the first. */
  readonly #uploads: Upload[];
  readonly #overlap: Seconds;
  /** Characters by which the next writing will lengthen the file, about. */
  #growth = 0;
  /** The number of the newest change in here. */
  #seq: number;
  #nextOrder: number;

  private constructor(folder: string, overlap: Seconds, file: Snapshot<AccountFile>, history: History) {
    const { seq, stamp, nextOrder, devices, groups, subscriptions, uploads, settings, lists } = file.data;
    this.#folder = folder;
    this.#overlap = overlap;
    this.#file = file;
    this.history = history;
    this.#seq = seq;
    this.stamp = stamp;
    this.#nextOrder = nextOrder;
    this.devices = new Map(devices.map((device) => [device.id, device]));
    this.groups = groups;
    this.#subscriptions = new Map(subscriptions.map(({ device, rows }) => [device, new SubscriptionList(rows)]));
    this.#uploads = uploads;
    this.settings = new SettingTable(settings);
    this.lists = new Map(lists.map((list) => [list.name, list]));
  }

  /** Rejects with `corrupt` when the folder has lost its file: an account has one from the beginning. */
  static async open(folder: string, overlap: Seconds): Promise<Account> {
    const path = filePath(folder);
    const file = await openSnapshot<AccountFile>(path, { seq: 0, ...newContent(0) });
    if (!file.adapter.isThere) {
      throw new StorageError('corrupt', `${path} is missing; restore the data folder from a backup`);
    }
    const history = await History.open(folder, file.data.segments);
    return new Account(folder, overlap, file, history);
  }

  /** Writes the first file of an account. What it has of a history is in the folder already. */
  static async write(folder: string, content: AccountContent): Promise<void> {
    const file = await openSnapshot<AccountFile>(filePath(folder), { seq: 0, ...content });
    await file.write();
  }

  /** The number of the newest change in the account's own file; 0 where there is none. */
  static async newestChangeIn(folder: string): Promise<number> {
    const { data } = await openSnapshot<AccountFile>(filePath(folder), { seq: 0, ...newContent(0) });
    return data.seq;
  }

  /** The number of the newest change in here. */
  get newestChange(): number {
    return this.#seq;
  }

  /** The list of a device; for an unknown one, an empty list that is not kept. */
  list(device: string): SubscriptionList {
    return this.#subscriptions.get(device) ?? new SubscriptionList();
  }

  /** Every feed that any device subscribes to, each once. */
  feeds(): Url[] {
    return [...new Set(this.subscribed().map(({ url }) => url))];
  }

  /** Every feed that any device ever subscribed to; some more than once. */
  everSubscribed(): Url[] {
    return [...this.#subscriptions.values()].flatMap((list) => list.rows().map(({ url }) => url));
  }

  subscribes(url: Url): boolean {
    return [...this.#subscriptions.values()].some((list) => list.has(url));
  }

  /** What any of the devices subscribes to, in the order first added. */
  subscribed(devices: Iterable<string> = this.devices.keys()): Row[] {
    const rows = [...devices].flatMap((device) => this.list(device).current());
    return rows.toSorted((a, b) => a.order - b.order);
  }

  /** The devices that a change on this one goes to, itself included. */
  following(device: string): string[] {
    return this.groups.find((group) => group.includes(device)) ?? [device];
  }

  /** The groups once these devices have been created: the user may want all devices to follow each other. */
  groupsWith(created: readonly string[]): string[][] {
    const joinsAll = created.length > 0 && this.settings.get({ kind: 'account' }).get('sync_devices') === true;
    return joinsAll ? regroup(this.groups, [[...this.devices.keys(), ...created]], []) : this.groups;
  }

  /** What it takes to bring the lists of each group to their union, and to what is `brought` to them. */
  unite(groups: readonly string[][], brought: Iterable<Url> = []): UploadChange[] {
    return groups.flatMap((devices) => {
      const urls = new Set([...this.subscribed(devices).map(({ url }) => url), ...brought]);
      const changes = [...urls].map((url) => ({ url, subscribed: true }));
      const isNews = devices.some((device) => this.list(device).effective(changes).length > 0);
      return isNews ? [{ kind: 'subscribe', devices, changes }] : [];
    });
  }

  /** Not to be handed out as it is: see `Database.mark`. */
  mark(): Stamp {
    return markAfter(this.stamp);
  }

  /** See `UserStore.settledAt`. */
  settledAt(now: Seconds): Stamp {
    return this.pending === undefined ? now : Math.min(now, this.pending - 1);
  }

  /** The oldest stamp that another device's upload got less than the overlap ago. */
  overlapped(origin: string | undefined, now: Seconds): Stamp | undefined {
    const isOther = (upload: Upload): boolean => origin === undefined || upload.origin !== origin;
    return this.#uploads.find((upload) => upload.at > now - this.#overlap && isOther(upload))?.stamp;
  }

  /** Throws `full` where the account's own file would get too long. What makes it shorter may always be written. */
  requireRoom(write: AccountWrite): void {
    const growth = growthOf(write);
    if (growth === 0 || this.#file.adapter.length + this.#growth + growth <= MAX_LENGTH) return;
    throw new StorageError('full', `${filePath(this.#folder)} has as much as it can hold; remove settings or lists`);
  }

  /** Does nothing for a change that is in here already. */
  apply(seq: number, write: AccountWrite): void {
    if (seq <= this.#seq) return;
    this.#seq = seq;
    this.#growth += growthOf(write);
    const { changes, upload } = write;
    for (const change of changes) this.#applyOne(change);
    if (!upload) return;
    const { stamp, at, origin } = upload;
    for (const change of upload.changes) this.#applyStamped(change, stamp, at);
    this.#note({ stamp, at, origin });
  }

  #applyOne(change: AccountChange): void {
    switch (change.kind) {
      case 'device':
        this.devices.set(change.device.id, change.device);
        break;
      case 'groups':
        this.groups = change.groups;
        break;
      case 'setting':
        this.settings.apply(change);
        break;
      case 'list':
        this.lists.set(change.list.name, change.list);
        break;
      case 'remove-list':
        this.lists.delete(change.name);
        break;
    }
  }

  #applyStamped(change: UploadChange, stamp: Stamp, at: Seconds): void {
    if (change.kind === 'act') this.history.append(change.actions, stamp, at);
    else for (const device of change.devices) this.#subscribe(device, change.changes, stamp);
  }

  #subscribe(device: string, changes: readonly SubscriptionChange[], stamp: Stamp): void {
    const list = this.list(device);
    this.#subscriptions.set(device, list);
    this.#nextOrder = list.apply(list.effective(changes), stamp, this.#nextOrder);
  }

  #note(upload: Upload): void {
    this.stamp = upload.stamp;
    this.pending = undefined;
    while (this.#uploads[0] && this.#uploads[0].at <= upload.at - this.#overlap) this.#uploads.shift();
    const isNoted = this.#uploads.some(({ at, origin }) => at === upload.at && origin === upload.origin);
    if (!isNoted) this.#uploads.push(upload);
  }

  async save(): Promise<void> {
    let written = 0;
    this.#file.data = await this.history.save((segments) => {
      written = this.#growth;
      return {
        seq: this.#seq,
        stamp: this.stamp,
        nextOrder: this.#nextOrder,
        devices: [...this.devices.values()],
        groups: this.groups,
        subscriptions: [...this.#subscriptions].map(([device, list]) => ({ device, rows: list.rows() })),
        uploads: [...this.#uploads],
        segments,
        settings: this.settings.rows(),
        lists: [...this.lists.values()],
      };
    });
    await this.#file.write();
    this.#growth -= written;
  }
}

const filePath = (folder: string): string => join(folder, 'account.json');
