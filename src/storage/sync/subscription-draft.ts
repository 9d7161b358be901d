import { checkSubscriptions } from '../../domain/device.ts';
import type { Stamp, SubscriptionChange, Url, UserId } from '../../domain/types.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import { type SubscriptionRow, urlsByPlace } from './subscription-list.ts';
import type { ListWrite, SubscriptionLists } from './subscription-lists.ts';

/** Subscription changes to be stored in one commit, under one stamp. */
export class SubscriptionDraft {
  readonly #lists: SubscriptionLists;
  readonly #stamp: Stamp;
  /** By device, then by URL. */
  readonly #rows = new Map<number, Map<Url, SubscriptionRow>>();
  /** Rows of the account, with those that are added here. */
  #length: number;
  /** Characters of their URLs. */
  #characters: number;
  /** The next free place. */
  next: number;

  constructor(lists: SubscriptionLists, stamp: Stamp, next: number) {
    this.#lists = lists;
    this.#stamp = stamp;
    this.#length = lists.length;
    this.#characters = lists.characters;
    this.next = next;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /**
   * Applies the changes that have an effect on the device; returns the added feeds. The last change of a URL wins. Throws
   * as `checkSubscriptions` does.
   */
  async change(device: number, changes: Iterable<SubscriptionChange>): Promise<Url[]> {
    const last = new Map<Url, boolean>();
    await eachInSlices(changes, ({ url, subscribed }) => last.set(url, subscribed));
    const added: Url[] = [];
    await eachInSlices(last, ([url, subscribed]) => {
      const before = this.#get(device, url);
      if ((before?.subscribed ?? false) === subscribed) return;
      if (!before) checkSubscriptions((this.#length += 1), (this.#characters += url.length));
      const row = { url, subscribed, stamp: this.#stamp, place: before?.place ?? this.next++ };
      const rows = this.#rows.get(device) ?? new Map<Url, SubscriptionRow>();
      this.#rows.set(device, rows.set(url, row));
      if (subscribed) added.push(url);
    });
    return added;
  }

  /**
   * Gives devices the union of the lists of some devices: of all feeds, or only of those changed here, which are removed if
   * none of the lists has them any more. Returns the feeds that were missing on any of the devices.
   */
  async merge(
    devices: readonly number[],
    sources: readonly number[] = devices,
    scope: 'all' | 'changes' = 'all',
  ): Promise<Url[]> {
    const lists = sources.map((source) => ({ list: this.#lists.of(source), changed: this.#rows.get(source) }));
    const used = lists.filter(({ list, changed }) => list.length > 0 || changed);
    const rows = used.flatMap(({ list, changed }) => [
      ...(scope === 'all' ? list.current() : []),
      ...(changed?.values() ?? []),
    ]);
    const isOnAny = (url: Url): boolean =>
      used.some(({ list, changed }) => (changed?.get(url) ?? list.get(url))?.subscribed);
    const changes = await mapInSlices(await urlsByPlace(rows), (url) => ({ url, subscribed: isOnAny(url) }));
    const added: Url[][] = [];
    for (const device of devices) added.push(await this.change(device, changes));
    return added.flat();
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
