import type { Stamp, SubscriptionChange, Url } from '../../domain/types.ts';
import type { Key } from '../contract.ts';

/** A feed on a device. `subscribed: false` is a tombstone, kept so that the device receives the removal. Immutable. */
export interface SubscriptionRow extends SubscriptionChange {
  /** Stamp of its last change. */
  stamp: Stamp;
  /** Position in the order first added, across all devices of the account. */
  place: number;
}

/** A stored row; a tombstone ends with a 0. */
export type StoredRow = [url: Url, stamp: Stamp, place: number, tombstone?: 0];

export const toStored = ({ url, stamp, place, subscribed }: SubscriptionRow): StoredRow =>
  subscribed ? [url, stamp, place] : [url, stamp, place, 0];

export const fromStored = ([url, stamp, place, tombstone]: StoredRow): SubscriptionRow => ({
  url,
  subscribed: tombstone === undefined,
  stamp,
  place,
});

/** Approximate memory of a row besides its URL. */
const ROW_BYTES = 300;

/** The subscriptions of one device. */
export class SubscriptionList {
  /** Keys of the list, and of the log of changes since it was written. */
  listKeys: Key[] = [];
  readonly logKeys: Key[] = [];
  /** Rows in the log. */
  logged = 0;
  /** Approximate memory use. */
  bytes = 0;
  readonly #rows = new Map<Url, SubscriptionRow>();
  /** All changes by stamp, so that a since-read need not scan the list. May contain outdated rows. */
  #changes: SubscriptionRow[] = [];
  #subscribed = 0;

  /** Loads the rows of a key. Keys must be loaded in order. */
  load(key: Key, isLog: boolean, rows: readonly SubscriptionRow[]): void {
    (isLog ? this.logKeys : this.listKeys).push(key);
    if (isLog) this.logged += rows.length;
    for (const row of rows) this.apply(row);
    this.tidy();
  }

  /** Number of subscriptions. */
  get size(): number {
    return this.#subscribed;
  }

  /** Number of subscriptions and tombstones. */
  get length(): number {
    return this.#rows.size;
  }

  get(url: Url): SubscriptionRow | undefined {
    return this.#rows.get(url);
  }

  /** By stamp, then in upload order. */
  rows(): SubscriptionRow[] {
    return this.#changes.filter(this.#isFresh);
  }

  /** Current subscriptions. */
  current(): SubscriptionRow[] {
    return [...this.#rows.values()].filter((row) => row.subscribed);
  }

  /** Applies a row. Rows must be sorted by stamp; call `tidy` afterwards. */
  apply(row: SubscriptionRow): void {
    const before = this.#rows.get(row.url);
    if (!before) this.bytes += ROW_BYTES + row.url.length;
    this.#subscribed += Number(row.subscribed) - Number(before?.subscribed ?? false);
    this.#rows.set(row.url, row);
    this.#changes.push(row);
  }

  /** Drops outdated rows, once there are many. */
  tidy(): void {
    if (this.#changes.length > 2 * this.#rows.size + 100) this.#changes = this.rows();
  }

  /** The last state of each URL changed at `since` or later, by stamp. */
  since(since: Stamp): SubscriptionChange[] {
    const first = this.#changes.findLastIndex((row) => row.stamp < since) + 1;
    return this.#changes
      .slice(first)
      .filter(this.#isFresh)
      .map(({ url, subscribed }) => ({ url, subscribed }));
  }

  readonly #isFresh = (row: SubscriptionRow): boolean => this.#rows.get(row.url) === row;
}
