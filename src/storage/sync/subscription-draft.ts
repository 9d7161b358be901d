import { eachInSlices } from '../../slices.ts';
import type { Stamp, SubscriptionChange, Url, UserId } from '../../domain/types.ts';
import { byPlace } from '../rows.ts';
import type { SubscriptionRow } from './subscription-list.ts';
import type { ListWrite, SubscriptionLists } from './subscription-lists.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';

/** Subscription changes to be stored in one commit, under one stamp. */
export class SubscriptionDraft {
  readonly #lists: SubscriptionLists;
  readonly #stamp: Stamp;
  /** By device, then by URL. */
  readonly #rows = new Map<number, Map<Url, SubscriptionRow>>();
  /** The next free place. */
  next: number;

  constructor(lists: SubscriptionLists, stamp: Stamp, next: number) {
    this.#lists = lists;
    this.#stamp = stamp;
    this.next = next;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /** Applies the changes that have an effect on the device; returns the added feeds. The last change of a URL wins. */
  async change(device: number, changes: Iterable<SubscriptionChange>): Promise<Url[]> {
    const last = new Map<Url, boolean>();
    await eachInSlices(changes, ({ url, subscribed }) => last.set(url, subscribed));
    const added: Url[] = [];
    await eachInSlices(last, ([url, subscribed]) => {
      const before = this.#get(device, url);
      if ((before?.subscribed ?? false) === subscribed) return;
      const row = { url, subscribed, stamp: this.#stamp, place: before?.place ?? this.next++ };
      const rows = this.#rows.get(device) ?? new Map<Url, SubscriptionRow>();
      this.#rows.set(device, rows.set(url, row));
      if (subscribed) added.push(url);
    });
    return added;
  }

  /** Gives all devices the union of their lists; returns the feeds that were missing on any of them. */
  async merge(devices: readonly number[]): Promise<Url[]> {
    const rows = devices.flatMap((device) => {
      const own = this.#rows.get(device);
      const kept = this.#lists
        .of(device)
        .current()
        .filter(({ url }) => !own?.has(url));
      return [...kept, ...(own?.values() ?? [])].filter(({ subscribed }) => subscribed);
    });
    const changes = rows.toSorted(byPlace).map(({ url }) => ({ url, subscribed: true }));
    const added: Url[][] = [];
    for (const device of devices) added.push(await this.change(device, changes));
    return added.flat();
  }

  /** Gives a device every feed that any of the others has: among the feeds changed here, or all feeds. */
  async follow(device: number, others: readonly number[], scope: 'changes' | 'all'): Promise<void> {
    const isOnAny = (url: Url): boolean => others.some((other) => this.#get(other, url)?.subscribed);
    const changed = others.flatMap((other) => [...(this.#rows.get(other)?.keys() ?? [])]);
    const listed = others.flatMap((other) => (scope === 'all' ? this.#lists.of(other).current() : []));
    const urls = [...listed.toSorted(byPlace).map(({ url }) => url), ...changed];
    await this.change(
      device,
      [...new Set(urls)].map((url) => ({ url, subscribed: isOnAny(url) })),
    );
  }

  #get(device: number, url: Url): SubscriptionRow | undefined {
    return this.#rows.get(device)?.get(url) ?? this.#lists.of(device).get(url);
  }

  /** Feeds that the account newly subscribes to on any device, and those that it subscribes to on none any more. */
  async difference(): Promise<{ subscribed: Url[]; unsubscribed: UrlDigest[] }> {
    const changes = new Map<Url, number>();
    for (const [device, rows] of this.#rows) {
      await eachInSlices(rows.values(), ({ url, subscribed }) => {
        const before = this.#lists.of(device).get(url)?.subscribed ?? false;
        changes.set(url, (changes.get(url) ?? 0) + Number(subscribed) - Number(before));
      });
    }
    const subscribed: Url[] = [];
    const unsubscribed: UrlDigest[] = [];
    await eachInSlices(changes, ([url, by]) => {
      const before = this.#lists.devicesOf(url);
      if (before === 0 && by > 0) subscribed.push(url);
      if (before > 0 && before + by === 0) unsubscribed.push(urlDigest(url));
    });
    return { subscribed, unsubscribed };
  }

  /** The entries to store, by device. */
  async write(user: UserId): Promise<ListWrite[]> {
    const writes: ListWrite[] = [];
    for (const [device, rows] of this.#rows) {
      writes.push(await this.#lists.write(user, device, [...rows.values()], this.#stamp));
    }
    return writes;
  }
}
