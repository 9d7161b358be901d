import type { Stamp, SubscriptionChange, Url } from '../domain/types.ts';
import type { Key } from './contract.ts';

/** One feed on one device, now or once: `subscribed` false is a tombstone, kept so that the device hears of it. Never changed. */
export interface Row extends SubscriptionChange {
  /** Of its last change. */
  stamp: Stamp;
  /** Place in the order first added, over all devices of the account. */
  place: number;
}

/** As it is stored; a tombstone has a 0 at its end. */
export type StoredRow = [url: Url, stamp: Stamp, place: number, tombstone?: 0];

export const toStored = ({ url, stamp, place, subscribed }: Row): StoredRow =>
  subscribed ? [url, stamp, place] : [url, stamp, place, 0];

export const fromStored = ([url, stamp, place, tombstone]: StoredRow): Row => ({
  url,
  subscribed: tombstone === undefined,
  stamp,
  place,
});

/** The subscriptions of one device. */
export class SubscriptionList {
  /** Under which it is stored: the list, and the log of what changed since it was written. */
  listKeys: Key[] = [];
  readonly logKeys: Key[] = [];
  /** Rows in the log. */
  logged = 0;
  readonly #rows = new Map<Url, Row>();
  /** Every change by stamp, so that a since-read touches what changed and not the list. May hold rows now replaced. */
  #changes: Row[] = [];
  #subscribed = 0;

  /** Takes in what is stored under a key, which comes after those before. */
  load(key: Key, isLog: boolean, rows: readonly Row[]): void {
    (isLog ? this.logKeys : this.listKeys).push(key);
    if (isLog) this.logged += rows.length;
    for (const row of rows) this.apply(row);
    this.tidy();
  }

  /** How many feeds are subscribed to. */
  get size(): number {
    return this.#subscribed;
  }

  /** How many it was ever subscribed to. */
  get length(): number {
    return this.#rows.size;
  }

  get(url: Url): Row | undefined {
    return this.#rows.get(url);
  }

  /** By stamp, then in the order of the upload. */
  rows(): Row[] {
    return this.#changes.filter(this.#isFresh);
  }

  /** What is subscribed to. */
  current(): Row[] {
    return [...this.#rows.values()].filter((row) => row.subscribed);
  }

  /** In the order of their stamps; `tidy` is to follow. */
  apply(row: Row): void {
    this.#subscribed += Number(row.subscribed) - Number(this.#rows.get(row.url)?.subscribed ?? false);
    this.#rows.set(row.url, row);
    this.#changes.push(row);
  }

  /** Forgets rows that were replaced, once there are many. */
  tidy(): void {
    if (this.#changes.length > 2 * this.#rows.size + 100) this.#changes = this.rows();
  }

  /** Last state of each URL changed at `since` or later, by stamp. */
  since(since: Stamp): SubscriptionChange[] {
    const first = this.#changes.findLastIndex((row) => row.stamp < since) + 1;
    return this.#changes
      .slice(first)
      .filter(this.#isFresh)
      .map(({ url, subscribed }) => ({ url, subscribed }));
  }

  readonly #isFresh = (row: Row): boolean => this.#rows.get(row.url) === row;
}

export const byPlace = (a: Row, b: Row): number => a.place - b.place;
