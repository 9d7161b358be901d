import type { UserId, Url } from '../../domain/types.ts';
import type { Entry, Version } from '../contract.ts';
import type { DeviceTable } from '../sync/device-table.ts';
import { Fingerprints } from '../sync/fingerprints.ts';
import type { SubscriptionLists } from '../sync/subscription-lists.ts';
import { valueOf } from '../values.ts';
import type { Head } from './head.ts';

/** Data stored separately from the head, loaded on demand. */
export interface AccountParts {
  devices: DeviceTable;
  subscriptions: SubscriptionLists;
}

/** Approximate memory of a URL in a set, besides its text. */
const SET_ENTRY_BYTES = 60;

/** An account in memory; valid while its head has this version. */
export class Account {
  readonly id: UserId;
  version: Version;
  head: Head;
  /** Whether a stored write is being applied: parts may be outdated. */
  isChanging = false;
  /** The loaded parts. */
  parts: Partial<AccountParts> = {};
  /** Fingerprints of stored episode actions. */
  fingerprints: Fingerprints;
  /** Feeds with episode actions that this process has already indexed in the directory. */
  readonly #actionFeeds = new Set<Url>();
  #actionFeedBytes = 0;

  constructor(id: UserId, entry: Entry) {
    this.id = id;
    this.version = entry.version;
    this.head = valueOf(entry);
    this.fingerprints = new Fingerprints(this.head.actionStamp);
  }

  /** Updates the head, and drops the parts that have changed. */
  update(entry: Entry): void {
    const { revisions } = this.head;
    this.version = entry.version;
    this.head = valueOf(entry);
    if (this.head.revisions.devices !== revisions.devices) delete this.parts.devices;
    if (this.head.revisions.subscriptions !== revisions.subscriptions) delete this.parts.subscriptions;
  }

  hasActionFeed(url: Url): boolean {
    return this.#actionFeeds.has(url);
  }

  addActionFeeds(urls: Iterable<Url>): void {
    for (const url of urls) {
      this.#actionFeeds.add(url);
      this.#actionFeedBytes += SET_ENTRY_BYTES + url.length;
    }
  }

  /** Approximate memory use. */
  get bytes(): number {
    const { devices, subscriptions } = this.parts;
    return (
      2000 +
      300 * (devices?.rows.length ?? 0) +
      (subscriptions?.bytes ?? 0) +
      40 * this.fingerprints.size +
      this.#actionFeedBytes
    );
  }
}
