import type { Stamp, SubscriptionChange, Url } from '../../domain/types.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import type { Key } from '../contract.ts';
import { byPlace } from '../rows.ts';

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

/** The subscriptions of one device. */
export class SubscriptionList {
  /** Keys of the list, and of the log of changes since it was written. */
  listKeys: Key[] = [];
  readonly logKeys: Key[] = [];
  /** Rows in the log. */
  logged = 0;
  /** Characters of the URLs of all rows. */
  characters = 0;
  readonly #rows = new Map<Url, SubscriptionRow>();
  /** All changes by stamp, so that a since-read need not scan the list. May contain outdated rows. */
  #changes: SubscriptionRow[] = [];
  #subscribed = 0;

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

  /** By stamp, then in upload order. Created lazily, as there may be many. */
  *rows(): Iterable<SubscriptionRow> {
    for (const row of this.#changes) if (this.#rows.get(row.url) === row) yield row;
  }

  /** Current subscriptions. */
  current(): SubscriptionRow[] {
    return [...this.#rows.values()].filter((row) => row.subscribed);
  }

  /** Applies a row. Rows must be sorted by stamp. */
  apply(row: SubscriptionRow): void {
    const before = this.#rows.get(row.url);
    if (!before) this.characters += row.url.length;
    this.#subscribed += Number(row.subscribed) - Number(before?.subscribed ?? false);
    this.#rows.set(row.url, row);
    this.#changes.push(row);
  }

  /** Drops outdated rows. */
  async tidy(): Promise<void> {
    this.#changes = await mapInSlices(this.rows(), (row) => row);
  }

  /** The last change of each URL, if it was at `since` or later, by stamp, then in upload order. */
  since(since: Stamp): SubscriptionRow[] {
    const changes = this.#changes.slice(this.#changes.findLastIndex((row) => row.stamp < since) + 1);
    return changes.filter((row) => this.#rows.get(row.url) === row);
  }
}

/** The feeds of rows, each once, in the order first added. Sorted last, as many devices may have the same feeds. */
export async function urlsByPlace(rows: readonly SubscriptionRow[]): Promise<Url[]> {
  const first = new Map<Url, SubscriptionRow>();
  await eachInSlices(rows, (row) => {
    if (row.place < (first.get(row.url)?.place ?? Infinity)) first.set(row.url, row);
  });
  return [...first.values()].toSorted(byPlace).map(({ url }) => url);
}
