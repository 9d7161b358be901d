/**
 * The part of the storage contract that moves whole accounts, and the directory, from one storage to another. Types
 * only; every rule here is a test in `podsync/testing`.
 */

import type {
  Device,
  EpisodeAction,
  EpisodeInfo,
  Json,
  PodcastInfo,
  PodcastList,
  Seconds,
  SettingScope,
  Stamp,
  Url,
  UserId,
} from '../domain/types.ts';
import type { AppPassword } from './account-stores.ts';
import type { FeedProgress } from './directory.ts';

/**
 * A piece of an account. They come in one order on every storage, so that two backups of the same data are the same:
 * the user; devices by id; groups by their first device, each by id; subscriptions by stamp, then device, then order of
 * upload; actions in upload order; settings by scope (account, devices, podcasts, episodes; each by name); lists in the
 * order created; app passwords by time created, then digest; sessions by digest, expired ones too until they are removed. By id, name or digest means: in code-point
 * order. The order of the keys of a record means nothing.
 */
export type UserRecord =
  | { kind: 'user'; name: string; email?: string; passwordHash: string; createdAt: Seconds; stamp: Stamp }
  /** `place`: which one it is in the order created, from 1. */
  | { kind: 'device'; device: Device; place: number }
  | { kind: 'group'; devices: string[] }
  /**
   * The last state of a feed on a device, tombstones too. `place`: which one of all these it is in the order first added,
   * from 1 (those added to several devices in one step: in any order of the devices).
   */
  | { kind: 'subscription'; device: string; url: Url; subscribed: boolean; stamp: Stamp; place: number }
  | { kind: 'action'; action: EpisodeAction; stamp: Stamp; uploadedAt: Seconds }
  /** All keys of one scope, in the order first set. An array of pairs, as a key may be any text. */
  | { kind: 'settings'; scope: SettingScope; values: [key: string, value: Json][] }
  | { kind: 'list'; list: PodcastList }
  | ({ kind: 'appPassword' } & Omit<AppPassword, 'user'>)
  | { kind: 'session'; digest: string; expiresAt: Seconds };

/** With the stamp that the directory first saw it under. `formerUrls`: those that it had before, by URL. */
export interface ExportedEpisode extends EpisodeInfo {
  stamp: Stamp;
  formerUrls: Url[];
}

/** A piece of the directory. In this order: tags in use, by slug; podcasts by URL, each before its episodes; toplists. */
export type DirectoryRecord =
  /** A tag as it was first written. */
  | { kind: 'tag'; tag: string; title: string }
  /** `formerUrls`: those that it had before, by URL. */
  | { kind: 'podcast'; url: Url; info: PodcastInfo; feed: FeedProgress; formerUrls: Url[] }
  /** Of the podcast before it, in the order of `PodcastStore.episodes`. */
  | { kind: 'episode'; episode: ExportedEpisode }
  /** As it was kept at that time, first rank first, by the URLs the podcasts are shown under now. Newest first, none empty. */
  | { kind: 'toplist'; at: Seconds; urls: Url[] };

/** Records come in pages, none empty, so that memory does not follow the size of what is moved. */
export interface TransferStore {
  /** One snapshot. Rejects with `missing` when there is no such account, or when it is removed meanwhile. */
  exportUser(user: UserId): AsyncIterable<UserRecord[]>;
  /**
   * Creates the account whole, or leaves nothing: until it resolves nobody sees any of it, also after a crash. Stamps
   * are kept, so that clients go on where they were. A backend with a clock of its own gives no mark and no stamp below
   * the time of `StorageContext` from then on: marks up to that time may have been handed out elsewhere. What was stamped
   * within the last overlap counts as another device's (see `markAfterUpload`) for one more overlap. A session that
   * exists already stays as it is. Rejects with `conflict` when the name or e-mail is taken, with `corrupt` when the
   * first record is not the user, and with what `records` throws.
   */
  importUser(records: AsyncIterable<UserRecord[]>): Promise<UserId>;
  /**
   * One podcast with its episodes is one snapshot; the whole need not be: what is read meanwhile may be told again, under
   * the URL that it has then.
   */
  exportDirectory(): AsyncIterable<DirectoryRecord[]>;
  /**
   * Adds to the directory, one podcast a step. What was read of a feed later wins: a podcast that was read here last
   * stays as it is, and one that gives way keeps the episodes that only it has. Of two that were never read the one that
   * comes wins. Stamps are kept, of an episode that both have the newer one, and the mark of the directory never falls
   * below any, nor below the time of `StorageContext`. A tag that is known keeps its title. A toplist is added where none
   * was kept within a day of it; unknown URLs on it are passed over.
   */
  importDirectory(records: AsyncIterable<DirectoryRecord[]>): Promise<void>;
  /** Removes everything: a storage as if just made. For one that was filled and must not stay so. */
  clear(): Promise<void>;
}
