/**
 * What a storage plugin implements: an ordered key-value store. Everything that podsync knows about accounts and
 * podcasts is written once above it, in `src/storage/`. Every rule here is a test in `podsync/testing`.
 */

/** ASCII without control characters, at most `MAX_KEY_BYTES`, compared by code point. */
export type Key = string;
/** JSON text, at most `MAX_VALUE_BYTES` in UTF-8. A plugin may keep the same JSON in another form. */
export type Value = string;
/** Never 0. Every change of a value gives it a version that it never had, also where it was deleted and set again. */
export type Version = number;

export const MAX_KEY_BYTES = 1024;
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;

export interface Entry {
  key: Key;
  value: Value;
  version: Version;
}

/** Keys from `from` up to, but not including, `until`; the first `limit` of them, which is at least 1. */
export interface Range {
  from: Key;
  until: Key;
  limit: number;
}

/** A key stands at most once in `set`, `delete` and `sum` together. */
export interface Batch {
  /** Keys that must still have these versions; 0: must not exist. Otherwise nothing is changed. */
  check?: readonly (readonly [Key, Version])[];
  set?: readonly (readonly [Key, Value])[];
  delete?: readonly Key[];
  /**
   * Adds to whole numbers, which are stored as JSON like any value; a missing one is 0. Batches that only add to a key
   * never conflict, whatever their order.
   */
  sum?: readonly (readonly [Key, number])[];
}

/** No member is optional. Everything rejects with a StorageError, and with nothing else. */
export interface KeyValueStore {
  /** Whether other processes may write at the same time. */
  readonly isShared: boolean;
  /** In the order asked, undefined where there is none; all as of one moment, which includes every commit resolved before. */
  get(keys: readonly Key[]): Promise<(Entry | undefined)[]>;
  /** In key order, as of one moment, which includes every commit resolved before; fewer than `limit`: there are no more. */
  list(range: Range): Promise<Entry[]>;
  /**
   * All or nothing, durable when it resolves; many may be under way at once. Resolves with the version of everything that
   * was set or summed, or with undefined where a check failed. Where it rejects with `unavailable` the batch may be
   * stored all the same, as when the answer was lost; with any other code nothing is.
   */
  commit(batch: Batch): Promise<Version | undefined>;
  /** Rejects when the backend is gone, or can store nothing any more. Cheap. */
  ping(): Promise<void>;
  /** Looks for damage that reading would not show, as in an index; changes nothing and may take minutes. Rejects with `corrupt`. */
  verify(): Promise<void>;
  /** Waits for commits under way, then releases everything. Safe to call twice. */
  close(): Promise<void>;
}

/** A problem, in words for the operator. Never a password, cookie or connection string. */
export type Log = (level: 'warn' | 'error', message: string) => void;

export interface OpenContext {
  /** podsync's data folder; exists, private to the process. Relative paths start here. */
  dataDir: string;
  log: Log;
}

export interface StoragePlugin<Options = unknown> {
  /** Short name used in configuration, logs and errors: `json`, `sqlite`, `postgres`. */
  readonly name: string;
  /** Version of this contract. The loader refuses any other number. */
  readonly contract: 1;
  /** Turns the text after `name:` (a path or URL, may be empty) into options, or throws an Error that says what is wrong. */
  parse(location: string): Options;
  /** Connects, creates what is missing, takes whatever lock it needs. Rejects with a StorageError. */
  open(options: Options, context: OpenContext): Promise<KeyValueStore>;
}
