/** The stores of podsync. Types only; every rule here is a test in `test/storage/suite`. */

import type {
  Device,
  Dialect,
  EpisodeAction,
  Json,
  ListSummary,
  PodcastList,
  Seconds,
  SettingScope,
  Stamp,
  SubscriptionChange,
  Uploader,
  Url,
  UserId,
} from '../domain/types.ts';
import type { AppLoginStore, AppPasswordStore, AttemptStore, SessionStore, UserStore } from './account-stores.ts';
import type { KeyValueStore, OpenContext } from './contract.ts';
import type { PodcastStore } from './podcast-stores.ts';
import type { TransferStore } from './transfer-store.ts';

export type { Log, LogFields } from './contract.ts';
export type * from './account-stores.ts';
export type * from './podcast-stores.ts';
export type * from './transfer-store.ts';

/** Context of the stores. */
export interface StorageContext extends OpenContext {
  /** The current time. Monotonic. */
  now(): Seconds;
  /** How long an upload by another device counts as overlapping: see `markAfterUpload`. */
  overlap: Seconds;
  /** Returns the same key-value store, measured. */
  meterStore?: ((store: KeyValueStore) => KeyValueStore) | undefined;
}

/**
 * Fourteen stores, and `ping`, `verify` and `close` for all of them. Every write is atomic: when its promise resolves
 * it is durable and visible, when it rejects nothing is stored. Writes for a user that does not exist reject with
 * `missing`, except removing the user, ending sessions and granting an app login.
 */
export interface Storage extends Pick<KeyValueStore, 'ping' | 'verify'> {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly appPasswords: AppPasswordStore;
  readonly attempts: AttemptStore;
  readonly appLogins: AppLoginStore;
  readonly devices: DeviceStore;
  readonly servedMarks: ServedMarkStore;
  readonly refusals: RefusalStore;
  readonly subscriptions: SubscriptionStore;
  readonly actions: ActionStore;
  readonly settings: SettingStore;
  readonly lists: ListStore;
  readonly podcasts: PodcastStore;
  readonly transfer: TransferStore;
  /** Waits for running writes, then releases everything. Safe to call twice. */
  close(): Promise<void>;
}

// ---- devices and subscriptions ---------------------------------------------

export interface DeviceSummary extends Device, Partial<Activity> {
  subscriptions: number;
}

/** The last sync of a device by an app. */
export interface Activity {
  /** To the hour. */
  syncedAt: Seconds;
  /** Its `User-Agent`; empty if it has none, or none may be stored. */
  app: string;
  dialect: Dialect;
}

/**
 * While the account setting `sync_devices` is `true`, every new device joins all others in the same write that creates
 * it, under the same stamp. If that adds feeds to its list, the write returns its stamp minus one as the mark and
 * counts as another device's upload (see `markAfterUpload`), so that the new device receives these feeds.
 */
export interface DeviceStore {
  find(user: UserId, device: string): Promise<Device | undefined>;
  /** In the order created. */
  all(user: UserId): Promise<DeviceSummary[]>;
  /** Creates a device with defaults (caption `""`, type `other`), or changes only the given fields. */
  save(user: UserId, device: string, patch: Partial<Omit<Device, 'id'>>): Promise<Device>;
  /** Stores that an app synced a device. False if the device is unknown: it is not created. */
  touch(user: UserId, device: string, activity: Activity): Promise<boolean>;
  /** Removes a device and its list; episode actions keep its name. False if the device is unknown. */
  delete(user: UserId, device: string): Promise<boolean>;
  /** The devices that follow each other: disjoint groups of two or more, in the order created, as are the devices of each. */
  groups(user: UserId): Promise<string[][]>;
  /**
   * Changes the groups (see `regroup`), and gives all members of a group the union of their lists, under one stamp, so
   * that every device receives feeds that are new to it. A device that leaves keeps its list. Returns all groups.
   * Rejects with `missing` if a device is unknown.
   */
  synchronize(user: UserId, join: readonly (readonly string[])[], leave: readonly string[]): Promise<string[][]>;
}

/** A change on a device applies to every device of its group, in the same commit and under the same stamp. */
export interface SubscriptionStore {
  /** URLs in the order first added. Without `device`: of all devices, without duplicates. */
  current(user: UserId, device?: string): Promise<Url[]>;
  /**
   * The public part of `current`: public subscriptions to listed podcasts, in the same order. Empty for an unknown
   * user. If all are private, they are not read.
   */
  listed(user: UserId): Promise<Url[]>;
  /**
   * The last state of each URL with a stamp of `since` or later, by stamp, then in upload order, and the mark to return
   * (`markAfter`). Empty for an unknown device, which is not created. The cost depends on the number of changes, not on
   * the list.
   */
  since(user: UserId, device: string, since: Stamp): Promise<{ items: SubscriptionChange[]; mark: Stamp }>;
  /**
   * Applies changes, at most one per URL, to one or several devices under one stamp; missing devices are created. A
   * change without effect gets no stamp. `uploader`: see `originOf`. Returns the mark.
   */
  apply(
    user: UserId,
    device: string | readonly string[],
    changes: readonly SubscriptionChange[],
    uploader?: Uploader,
  ): Promise<Stamp>;
  /** Replaces the list by `urls`; the difference is computed in the same commit. `uploader` and result as in `apply`. */
  replace(user: UserId, device: string, urls: readonly Url[], uploader?: Uploader): Promise<Stamp>;
}

// ---- apps that send their own clock as `since` ---

/** Subscriptions and episode actions have marks of their own. */
export type Served = 'subscriptions' | 'actions';

/** The last response to a device that had a new mark. */
export interface ServedMark {
  /** The `since` of the request, and the stamp from which changes were read. */
  since: Stamp;
  from: Stamp;
  /** The mark in the response. */
  mark: Stamp;
}

export interface ServedMarkStore {
  find(user: UserId, device: string, served: Served): Promise<ServedMark | undefined>;
  save(user: UserId, device: string, served: Served, mark: ServedMark): Promise<void>;
}

// ---- refused requests ------------------------------------------------------

/** A request of an app that was refused. */
export interface RefusedRequest {
  at: Seconds;
  /** One sentence, without any data of the request. */
  reason: string;
  /** If known. */
  device?: string | undefined;
  /** `User-Agent`; empty if it has none, or none may be stored. */
  app: string;
  dialect: Dialect;
}

/** The newest 20 refusals of an account. */
export interface RefusalStore {
  add(user: UserId, refused: RefusedRequest): Promise<void>;
  /** Newest first. */
  all(user: UserId): Promise<RefusedRequest[]>;
}

// ---- episode actions -------------------------------------------------------

export interface ActionQuery {
  /** Stamp `since` or later. */
  since?: Stamp;
  /** Only these podcasts. */
  podcasts?: ReadonlySet<Url>;
  device?: string;
  /** Only podcasts that this device currently subscribes to. */
  subscribedOn?: string;
  /**
   * Only the latest action per podcast and episode, by timestamp, then upload order; applied after the other filters.
   */
  latest?: boolean;
}

export interface ActionStore {
  /**
   * Appends actions under one stamp, in the given order. Actions that are stored already (all fields equal except
   * `guid`) are skipped; unknown devices are created. `uploader`: see `originOf`. Returns the mark.
   */
  append(user: UserId, actions: readonly EpisodeAction[], uploader?: Uploader): Promise<Stamp>;
  /**
   * In upload order. `pages` is one snapshot, read lazily, so that memory does not grow with the history; no page is
   * empty. It may be left unread.
   */
  query(user: UserId, query: ActionQuery): Promise<{ pages: AsyncIterable<EpisodeAction[]>; mark: Stamp }>;
}

// ---- settings and lists ----------------------------------------------------

export interface SettingUpdate {
  set: Readonly<Record<string, Json>>;
  remove: readonly string[];
  /** Maximum number of keys after the update. */
  limit: number;
}

/**
 * Keys may be any text, even `__proto__`: build returned records with `Object.fromEntries`. The storage itself uses
 * `sync_devices` of the account (see `DeviceStore`) and the settings of `accounts/privacy.ts`.
 */
export interface SettingStore {
  /** Empty if nothing was set; what the scope refers to need not exist. */
  get(user: UserId, scope: SettingScope): Promise<Record<string, Json>>;
  /**
   * Sets, then removes, in one commit, so that no concurrent update is lost. Returns the settings after the update;
   * undefined if they would exceed `limit` keys, and then nothing changes.
   */
  update(user: UserId, scope: SettingScope, update: SettingUpdate): Promise<Record<string, Json> | undefined>;
  /** The scopes of one kind that have this key, with its value, in any order. */
  withKey(user: UserId, kind: SettingScope['kind'], key: string): Promise<{ scope: SettingScope; value: Json }[]>;
}

export type ListChange = Partial<Pick<PodcastList, 'title' | 'urls'>>;

export interface ListStore {
  /** In the order created, except for moved lists. */
  all(user: UserId): Promise<ListSummary[]>;
  find(user: UserId, name: string): Promise<PodcastList | undefined>;
  /** Rejects with `conflict` if the user has a list with this name. */
  create(user: UserId, list: PodcastList): Promise<void>;
  /**
   * Applies what `change` returns for the current list, in one commit; name and place stay. Rejects with what `change`
   * throws, which may be called more than once. False if there is no such list.
   */
  update(user: UserId, name: string, change: (list: PodcastList) => ListChange): Promise<boolean>;
  /**
   * Moves a list down by a number of places, or up if negative, but not beyond the ends. False if there is no such
   * list.
   */
  move(user: UserId, name: string, by: number): Promise<boolean>;
  /** False if there is no such list. */
  delete(user: UserId, name: string): Promise<boolean>;
}
