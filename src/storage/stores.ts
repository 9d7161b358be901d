/** The stores of podsync. Types only; every rule here is a test in `test/storage/suite`. */

import type {
  Device,
  Dialect,
  EpisodeAction,
  Json,
  ListSummary,
  PodcastList,
  Seconds,
  Sender,
  SettingScope,
  Stamp,
  SubscriptionChange,
  Url,
  UserId,
} from '../domain/types.ts';
import type { AppPasswordStore, AttemptStore, LoginStore, SessionStore, UserStore } from './account-stores.ts';
import type { OpenContext } from './contract.ts';
import type { PodcastStore } from './directory.ts';
import type { TransferStore } from './transfer.ts';

export type { Log } from './contract.ts';
export type * from './account-stores.ts';
export type * from './directory.ts';
export type * from './transfer.ts';

/** What the stores are opened with. */
export interface StorageContext extends OpenContext {
  /** The time. It never runs backwards. */
  now(): Seconds;
  /** How long an upload of another origin counts as overlapping: see `markAfterUpload`. */
  overlap: Seconds;
}

/**
 * Fourteen stores, and `ping`, `verify` and `close` for the whole. Every write is one step: when its promise resolves it is
 * durable and visible whole, when it rejects nothing of it exists. For a user that does not exist (any more) writes reject
 * with `missing`, except removing the user and ending sessions.
 */
export interface Storage {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly appPasswords: AppPasswordStore;
  readonly attempts: AttemptStore;
  readonly logins: LoginStore;
  readonly devices: DeviceStore;
  readonly servedMarks: ServedMarkStore;
  readonly refusals: RefusalStore;
  readonly subscriptions: SubscriptionStore;
  readonly actions: ActionStore;
  readonly settings: SettingStore;
  readonly lists: ListStore;
  readonly podcasts: PodcastStore;
  readonly transfer: TransferStore;
  /** Cheap liveness probe; rejects when the backend is gone, or takes nothing until podsync is started again. */
  ping(): Promise<void>;
  /**
   * Looks for damage that does not show when all records are read, as in an index. May take minutes; changes nothing.
   * Rejects with `corrupt`.
   */
  verify(): Promise<void>;
  /** Waits for writes in flight, then lets go. Safe to call twice. */
  close(): Promise<void>;
}

/** The names of the stores. */
export type StoreName = Exclude<keyof Storage, 'ping' | 'verify' | 'close'>;

/** Answer to a since-read: everything up to the user's newest stamp, and the mark to hand out with it (`markAfter`). */
export interface Since<T> {
  items: T[];
  mark: Stamp;
}

// ---- devices and subscriptions ---------------------------------------------

export interface DeviceSummary extends Device, Partial<Activity> {
  subscriptions: number;
}

/** The last time that an app synced a device. */
export interface Activity {
  /** To the hour. */
  syncedAt: Seconds;
  /** Its `User-Agent`; empty where it has none, or none is to be kept. */
  app: string;
  dialect: Dialect;
}

/**
 * While the account setting `sync_devices` is `true`, a device that any verb creates joins all others as the last part
 * of that step, under its stamp. Where that adds feeds to its list, the mark answered is the stamp less one, and the
 * upload counts as another device's (see `markAfterUpload`): the new device has yet to hear of these feeds.
 */
export interface DeviceStore {
  find(user: UserId, device: string): Promise<Device | undefined>;
  /** In the order created. */
  all(user: UserId): Promise<DeviceSummary[]>;
  /** Creates with defaults (caption `""`, type `other`) or changes only the keys given. */
  save(user: UserId, device: string, patch: Partial<Omit<Device, 'id'>>): Promise<Device>;
  /** Notes that an app synced a device. False when it is unknown: it is not created. */
  touch(user: UserId, device: string, activity: Activity): Promise<boolean>;
  /** Removes a device and its list; what was played on it keeps its name. False when it is unknown. */
  delete(user: UserId, device: string): Promise<boolean>;
  /** The devices that follow each other: groups of two or more, no device in two of them, in any order. */
  groups(user: UserId): Promise<string[][]>;
  /**
   * Changes the groups as `regroup` says, and brings the members of each to the union of their lists, under one stamp:
   * every device hears of what is new to it. A device that leaves keeps its list. Answers all groups. Rejects with
   * `missing` when a device is unknown.
   */
  synchronize(user: UserId, join: readonly (readonly string[])[], leave: readonly string[]): Promise<string[][]>;
}

/** A change on a device is the same change on every device of its group, in the same step and under the same stamp. */
export interface SubscriptionStore {
  /** URLs in the order first added. Without `device`: of every device, each URL once. */
  current(user: UserId, device?: string): Promise<Url[]>;
  /**
   * What everybody may see of `current`: public subscriptions to listed podcasts, in that order; none where there is no
   * such user, or all are private, and then without reading them.
   */
  shown(user: UserId): Promise<Url[]>;
  /**
   * Last state of each URL whose stamp is `since` or later, by stamp, then in order of upload. Empty for an unknown
   * device, which is not created. Cost follows the changes, not the list.
   */
  since(user: UserId, device: string, since: Stamp): Promise<Since<SubscriptionChange>>;
  /**
   * Applies changes, none of them both ways, to one or several devices under one stamp; missing devices are created. A
   * change that changes nothing leaves no stamp. `sender`: see `originOf`. Answers the mark.
   */
  apply(
    user: UserId,
    device: string | readonly string[],
    changes: readonly SubscriptionChange[],
    sender?: Sender,
  ): Promise<Stamp>;
  /** Makes the list equal `urls`; the difference is taken inside the same step. `sender` and answer as in `apply`. */
  replace(user: UserId, device: string, urls: readonly Url[], sender?: Sender): Promise<Stamp>;
}

// ---- apps that send their own clock as `since` ---

/** Subscriptions and episode actions have marks of their own. */
export type Served = 'subscriptions' | 'actions';

/** The last answer that a device got which brought a new mark. */
export interface ServedMark {
  /** What the app asked with, and what it was answered from. */
  since: Stamp;
  from: Stamp;
  /** The mark that it was answered with. */
  mark: Stamp;
}

export interface ServedMarkStore {
  find(user: UserId, device: string, served: Served): Promise<ServedMark | undefined>;
  save(user: UserId, device: string, served: Served, mark: ServedMark): Promise<void>;
}

/** Something that an app sent and that was not taken. */
export interface RefusedRequest {
  at: Seconds;
  /** One sentence, without anything that the app sent. */
  reason: string;
  /** Where it is known. */
  device?: string | undefined;
  /** `User-Agent`; empty where it has none, or none is to be kept. */
  app: string;
  dialect: Dialect;
}

/** The newest 20 of an account. */
export interface RefusalStore {
  add(user: UserId, refused: RefusedRequest): Promise<void>;
  /** The newest first. */
  all(user: UserId): Promise<RefusedRequest[]>;
}

// ---- episode actions -------------------------------------------------------

export interface ActionQuery {
  /** Stamp `since` or later. */
  since?: Stamp;
  podcast?: Url;
  device?: string;
  /** Only podcasts that this device subscribes to now. */
  subscribedOn?: string;
  /** Only the latest per podcast and episode, by (timestamp, upload order), picked after the other filters. */
  latest?: boolean;
}

export interface ActionStore {
  /**
   * Appends under one stamp, in the order given. What is stored already word for word (all fields but `guid`) is
   * passed over; unknown devices are created. `sender`: see `originOf`. Answers the mark.
   */
  append(user: UserId, actions: readonly EpisodeAction[], sender?: Sender): Promise<Stamp>;
  /**
   * In upload order. `pages` is one snapshot, read as it is consumed, so that memory does not follow the length of the
   * history; a page is never empty. It may be left unread.
   */
  query(user: UserId, query: ActionQuery): Promise<{ pages: AsyncIterable<EpisodeAction[]>; mark: Stamp }>;
}

// ---- settings and lists ----------------------------------------------------

export interface SettingUpdate {
  set: Readonly<Record<string, Json>>;
  remove: readonly string[];
  /** The most keys that may be left. */
  limit: number;
}

/**
 * Keys are any text, `__proto__` too: build the records that are answered with `Object.fromEntries`. One of them means
 * something to the storage itself: `sync_devices` of the account (see `DeviceStore`).
 */
export interface SettingStore {
  /** Empty where nothing was ever set; what the scope names need not exist. */
  get(user: UserId, scope: SettingScope): Promise<Record<string, Json>>;
  /**
   * Sets, then removes, in one step, so that no concurrent update is lost. Answers all that is left; undefined when
   * that would be more keys than `limit`, and then nothing changes.
   */
  update(user: UserId, scope: SettingScope, update: SettingUpdate): Promise<Record<string, Json> | undefined>;
  /** The scopes of one kind that have this key, and its value there; in any order. */
  withKey(user: UserId, kind: SettingScope['kind'], key: string): Promise<{ scope: SettingScope; value: Json }[]>;
}

export type ListChange = Partial<Pick<PodcastList, 'title' | 'urls'>>;

export interface ListStore {
  /** In the order created, but for those that were moved. */
  all(user: UserId): Promise<ListSummary[]>;
  find(user: UserId, name: string): Promise<PodcastList | undefined>;
  /** Rejects with `conflict` when the user has a list of this name. */
  create(user: UserId, list: PodcastList): Promise<void>;
  /**
   * Changes what `change` returns of the list as it is, in one step; its name and place stay. Rejects as `change` throws,
   * which may be called more than once. False when there is no such list.
   */
  update(user: UserId, name: string, change: (list: PodcastList) => ListChange): Promise<boolean>;
  /** Moves a list so many places down, or up where negative; not beyond an end. False when there is no such list. */
  move(user: UserId, name: string, by: number): Promise<boolean>;
  /** False when there is no such list. */
  delete(user: UserId, name: string): Promise<boolean>;
}
