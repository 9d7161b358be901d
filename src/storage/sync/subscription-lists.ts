import type { Stamp, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import { subscriptionListPrefix, subscriptionLogKey, subscriptionsPrefix } from '../accounts/account-keys.ts';
import type { Batch, Entry, KeyValueStore } from '../contract.ts';
import { readRows, replaceRows, scan } from '../rows.ts';
import {
  fromStored,
  type SubscriptionRow,
  type StoredRow,
  SubscriptionList,
  toStored,
  urlsByPlace,
} from './subscription-list.ts';

/*
 * Changes of a list are stored as a log beside it. A log may have a 64th of the list's rows, but at least 64 and at most
 * 500, because each read of the list reads it; a longer one is merged into the list.
 */
const MIN_LOG_ROWS = 64;
const MAX_LOG_ROWS = 500;
const LIST_ROWS_PER_LOG_ROW = 64;
/** Changes with a longer text are merged into the list at once. Characters. */
const MAX_LOG_TEXT = 256 * 1024;
/** Approximate memory of a row besides its URL. */
const ROW_BYTES = 300;

/** The subscriptions of all devices of an account, by device number. */
export class SubscriptionLists {
  readonly #lists = new Map<number, SubscriptionList>();
  /** How many devices subscribe to a feed. */
  readonly #devices = new Map<Url, number>();

  /** Reads the subscriptions page by page, so a change of another process meanwhile may be read in part. */
  static async read(store: KeyValueStore, user: UserId): Promise<SubscriptionLists> {
    const lists = new SubscriptionLists();
    const prefix = subscriptionsPrefix(user);
    for await (const page of scan(store, prefix)) await eachInSlices(lists.#load(page, prefix.length));
    return lists;
  }

  /** Loads one row after the other. `start`: where the device begins in a key. */
  *#load(entries: readonly Entry[], start: number): Iterable<void> {
    for (const entry of entries) {
      const [device, part] = entry.key.slice(start).split('/');
      const list = this.of(Number(device));
      this.#lists.set(Number(device), list);
      const rows = readRows<StoredRow>([entry]);
      (part === 'log' ? list.logKeys : list.listKeys).push(entry.key);
      if (part === 'log') list.logged += rows.length;
      for (const row of rows) yield this.#applyRow(list, fromStored(row));
    }
  }

  /** The list of a device; empty if it has none. Undefined: a device that the account does not have. */
  of(device: number | undefined): SubscriptionList {
    return (device === undefined ? undefined : this.#lists.get(device)) ?? new SubscriptionList();
  }

  /** Number of devices that subscribe to the feed. */
  devicesOf(url: Url): number {
    return this.#devices.get(url) ?? 0;
  }

  /** Current subscriptions of all devices. */
  current(): SubscriptionRow[] {
    return [...this.#lists.values()].flatMap((list) => list.current());
  }

  /** The feeds of all devices, without duplicates, in the order first added. */
  union(): Promise<Url[]> {
    return urlsByPlace(this.current());
  }

  /** Number of rows, including tombstones. */
  get length(): number {
    return [...this.#lists.values()].reduce((sum, list) => sum + list.length, 0);
  }

  /** Characters of the URLs in these rows. */
  get characters(): number {
    return [...this.#lists.values()].reduce((sum, list) => sum + list.characters, 0);
  }

  /** Approximate memory use. */
  get bytes(): number {
    return ROW_BYTES * this.length + this.characters;
  }

  /** The entries for new rows of a device. */
  async write(user: UserId, device: number, rows: readonly SubscriptionRow[], stamp: Stamp): Promise<ListWrite> {
    const list = this.of(device);
    const logged = list.logged + rows.length;
    const room = Math.max(MIN_LOG_ROWS, Math.min(MAX_LOG_ROWS, list.length / LIST_ROWS_PER_LOG_ROW));
    const text = logged <= room ? JSON.stringify(rows.map(toStored)) : undefined;
    if (text && text.length <= MAX_LOG_TEXT) {
      const key = subscriptionLogKey(user, device, stamp);
      const apply = async (): Promise<void> => {
        await this.#apply(device, rows, list);
        list.logKeys.push(key);
        list.logged = logged;
      };
      return { set: [[key, text]], delete: [], apply };
    }
    const changed = new Set<Url>();
    await eachInSlices(rows, ({ url }) => changed.add(url));
    const all: StoredRow[] = [];
    await eachInSlices(list.rows(), (row) => changed.has(row.url) || all.push(toStored(row)));
    await eachInSlices(rows, (row) => all.push(toStored(row)));
    const replaced = await replaceRows(subscriptionListPrefix(user, device), all, list.listKeys);
    const apply = async (): Promise<void> => {
      await this.#apply(device, rows, list);
      await list.tidy();
      list.listKeys = replaced.set.map(([key]) => key);
      list.logKeys.length = 0;
      list.logged = 0;
    };
    return { set: replaced.set, delete: [...replaced.delete, ...list.logKeys], apply };
  }

  /** Drops the list of a removed device. */
  async remove(device: number): Promise<void> {
    await eachInSlices(this.of(device).current(), ({ url }) => this.#count(url, -1));
    this.#lists.delete(device);
  }

  async #apply(device: number, rows: readonly SubscriptionRow[], list: SubscriptionList): Promise<void> {
    this.#lists.set(device, list);
    await eachInSlices(rows, (row) => this.#applyRow(list, row));
  }

  #applyRow(list: SubscriptionList, row: SubscriptionRow): void {
    const before = list.get(row.url)?.subscribed ?? false;
    if (before !== row.subscribed) this.#count(row.url, row.subscribed ? 1 : -1);
    list.apply(row);
  }

  #count(url: Url, by: 1 | -1): void {
    const count = this.devicesOf(url) + by;
    if (count > 0) this.#devices.set(url, count);
    else this.#devices.delete(url);
  }
}

export interface ListWrite extends Batch {
  /** Call it when the entries are stored. */
  apply(): Promise<void>;
}
