/**
 * Export and import of accounts and of the directory. Types only; every rule here is a test in `test/storage/suite`.
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
import type { FeedProgress } from './podcast-stores.ts';

/**
 * A record of an account. The order is the same on every storage, so that two backups of the same data are equal: the
 * user; devices by id; groups by their first device, each sorted by id; subscriptions by stamp, then device, then
 * upload order; actions in upload order; settings by scope (account, devices, podcasts, episodes; each by name); lists
 * in their order; app passwords by time created, then digest; sessions by digest, including expired ones that are not
 * removed yet. Ids, names and digests are sorted by code point. The order of the keys of a record has no meaning.
 */
export type UserRecord =
  | { kind: 'user'; name: string; email?: string; passwordHash: string; createdAt: Seconds; stamp: Stamp }
  /** `place`: position in the order created, from 1. */
  | { kind: 'device'; device: Device; place: number }
  | { kind: 'group'; devices: string[] }
  /**
   * The last state of a feed on a device, including tombstones. `place`: position among all of them in the order first
   * added, from 1 (within one commit, devices are in any order).
   */
  | { kind: 'subscription'; device: string; url: Url; subscribed: boolean; stamp: Stamp; place: number }
  | { kind: 'action'; action: EpisodeAction; stamp: Stamp; uploadedAt: Seconds }
  /** All settings of one scope, in the order first set. Pairs, as a key may be any text. */
  | { kind: 'settings'; scope: SettingScope; values: [key: string, value: Json][] }
  | { kind: 'list'; list: PodcastList }
  | ({ kind: 'appPassword' } & Omit<AppPassword, 'user'>)
  | { kind: 'session'; digest: string; expiresAt: Seconds };

/** The records of one kind. */
export type UserRecordOf<Kind extends UserRecord['kind']> = Extract<UserRecord, { kind: Kind }>;

/** `stamp`: when the directory first saw it. `formerUrls` are sorted. */
export interface ExportedEpisode extends EpisodeInfo {
  stamp: Stamp;
  formerUrls: Url[];
}

/**
 * A record of the directory, in this order: tags in use, by slug; podcasts by URL, each followed by its episodes;
 * toplists.
 */
export type DirectoryRecord =
  /** The first spelling of a tag. */
  | { kind: 'tag'; tag: string; title: string }
  /** `formerUrls` are sorted. */
  | { kind: 'podcast'; url: Url; info: PodcastInfo; feed: FeedProgress; formerUrls: Url[] }
  /** An episode of the preceding podcast, in the order of `PodcastStore.episodes`. */
  | { kind: 'episode'; episode: ExportedEpisode }
  /** A toplist snapshot, by rank, with the current URLs of the podcasts. Newest first, none empty. */
  | { kind: 'toplist'; at: Seconds; urls: Url[] };

/** Records are read and written in pages, none empty, so that memory does not grow with the data. */
export interface TransferStore {
  /**
   * One snapshot, except for settings and lists that are changed or removed meanwhile: they may be as they are then. Rejects
   * with `missing` if the account does not exist, or is removed meanwhile.
   */
  exportUser(user: UserId): AsyncIterable<UserRecord[]>;
  /**
   * Creates an account completely or not at all, even after a crash; it is invisible until this resolves. Stamps are
   * kept, so that clients continue from their marks. Changes stamped within the last overlap count as another device's
   * upload (see `markAfterUpload`) for one more overlap. An existing session stays as it is. Rejects with `conflict` if
   * the name or e-mail is taken, with `corrupt` if the first record is not the user, and with what `records` throws.
   */
  importUser(records: AsyncIterable<UserRecord[]>): Promise<UserId>;
  /**
   * Each podcast with its episodes is one snapshot, the whole export is not: a podcast that moves meanwhile may be
   * exported again under its new URL.
   */
  exportDirectory(): AsyncIterable<DirectoryRecord[]>;
  /**
   * Adds records to the directory, one podcast per commit. The later fetch of a feed wins: a podcast that was fetched
   * later here stays as it is, and one that is replaced keeps the episodes that only it has. If neither was fetched,
   * the imported one wins. Stamps are kept, for an episode in both the newer one, and the mark of the directory never
   * falls below any of them, nor below the time of `StorageContext`. A known tag keeps its title. A toplist is added if
   * there is none within a day of it; unknown URLs on it are skipped.
   */
  importDirectory(records: AsyncIterable<DirectoryRecord[]>): Promise<void>;
  /** Removes everything: the storage is like new. For undoing a failed import. */
  clear(): Promise<void>;
}
