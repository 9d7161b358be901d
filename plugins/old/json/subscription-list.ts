import type { Stamp, SubscriptionChange, Url } from '../../../src/old-plugin.ts';

/** One feed on one device, now or once: `subscribed` false is a tombstone, kept so that the device hears of it. Never changed. */
export interface Row extends SubscriptionChange {
  /** Of its last change. */
  stamp: Stamp;
  /** Place in the order first added, over all devices of the user. */
  order: number;
}

/** The subscriptions of one device. */
export class SubscriptionList {
  /** In the order first added. */
  readonly #rows: Map<Url, Row>;
  /** Every change by stamp, so that a since-read touches what changed and not the list. May hold rows now replaced. */
  #changes: Row[];
  #subscribed: number;

  /** `rows` as `rows()` answers them. */
  constructor(rows: readonly Row[] = []) {
    this.#rows = new Map(rows.toSorted((a, b) => a.order - b.order).map((row) => [row.url, row]));
    this.#changes = [...rows];
    this.#subscribed = this.current().length;
  }

  /** How many feeds are subscribed to. */
  get size(): number {
    return this.#subscribed;
  }

  has(url: Url): boolean {
    return this.#rows.get(url)?.subscribed ?? false;
  }

  /** By stamp, then in the order of the upload. */
  rows(): Row[] {
    return this.#changes.filter(this.#isFresh);
  }

  /** What is subscribed to, in the order first added. */
  current(): Row[] {
    return [...this.#rows.values()].filter((row) => row.subscribed);
  }

  /** Those of the changes that would change something; of two on one URL the later counts. */
  effective(changes: readonly SubscriptionChange[]): SubscriptionChange[] {
    const last = new Map(changes.map((change) => [change.url, change]));
    return [...last.values()].filter(({ url, subscribed }) => this.has(url) !== subscribed);
  }

  /** What it takes to make the list equal `urls`. */
  difference(urls: readonly Url[]): SubscriptionChange[] {
    const wanted = new Set(urls);
    const gone = this.current().filter((row) => !wanted.has(row.url));
    return [
      ...gone.map(({ url }) => ({ url, subscribed: false })),
      ...this.effective([...wanted].map((url) => ({ url, subscribed: true }))),
    ];
  }

  /** `order` is the place of the first URL that is new to the list; answers the next free one. */
  apply(changes: readonly SubscriptionChange[], stamp: Stamp, order: number): number {
    let next = order;
    for (const { url, subscribed } of changes) {
      const before = this.#rows.get(url);
      const row = { url, subscribed, stamp, order: before?.order ?? next++ };
      this.#subscribed += Number(subscribed) - Number(before?.subscribed ?? false);
      this.#rows.set(url, row);
      this.#changes.push(row);
    }
    if (this.#changes.length > 2 * this.#rows.size + 100) this.#changes = this.#changes.filter(this.#isFresh);
    return next;
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
