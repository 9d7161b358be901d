import type { UserId, Url } from '../domain/types.ts';
import type { Entry, Version } from './contract.ts';
import type { DeviceTable } from './device-table.ts';
import { Fingerprints } from './fingerprints.ts';
import type { Head } from './head.ts';
import type { SubscriptionLists } from './subscription-lists.ts';

/** What lies beside the head and is kept in memory once it was needed. */
export interface AccountParts {
  devices: DeviceTable;
  subscriptions: SubscriptionLists;
}

/** One account in memory: valid for as long as its head has this version. */
export class Account {
  readonly id: UserId;
  version: Version;
  head: Head;
  /** A write is stored, and not all parts are up to date. */
  isChanging = false;
  /** Those that were read. */
  parts: Partial<AccountParts> = {};
  /** Of the actions. */
  fingerprints: Fingerprints;
  /** Podcasts of which the directory has heard from this process that the account acted on them. */
  readonly acted = new Set<Url>();

  constructor(id: UserId, { value, version }: Entry) {
    this.id = id;
    this.version = version;
    this.head = JSON.parse(value) as Head;
    this.fingerprints = Fingerprints.of(this.head);
  }

  /** Goes on from another head; forgets what it no longer matches. */
  update({ value, version }: Entry): void {
    const { revisions, acted } = this.head;
    this.version = version;
    this.head = JSON.parse(value) as Head;
    if (this.head.revisions.devices !== revisions.devices) delete this.parts.devices;
    if (this.head.revisions.subscriptions !== revisions.subscriptions) delete this.parts.subscriptions;
    if (this.head.acted !== acted) this.fingerprints = Fingerprints.of(this.head);
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const { devices, subscriptions } = this.parts;
    return (
      2000 +
      300 * (devices?.rows.length ?? 0) +
      400 * (subscriptions?.length ?? 0) +
      40 * this.fingerprints.size +
      150 * this.acted.size
    );
  }
}
