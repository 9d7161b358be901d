/**
 * The interface of a storage plugin: an ordered key-value store. Accounts and podcasts are implemented on top of it,
 * once for all plugins, in `src/storage/`. Every rule here, except those for failures and for a second process, is a
 * test in `podsync/testing`.
 */

/** 1 to `MAX_KEY_BYTES` characters of printable ASCII, compared by code point. */
export type Key = string;
/** JSON text, at most `MAX_VALUE_BYTES` in UTF-8. A plugin may keep the same JSON in another form. */
export type Value = string;
/** Never 0. Every change of a key gives it a version that it never had before, even after it was deleted. */
export type Version = number;

export const MAX_KEY_BYTES = 1024;
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;

export interface Entry {
  key: Key;
  value: Value;
  version: Version;
}

/**
 * Keys from `from` up to, but not including, `until`; the first `limit` of them, which is at least 1. To continue after
 * the last one, `from` is that key and a space, and so may be one character longer than a key.
 */
export interface Range {
  from: Key;
  until: Key;
  limit: number;
}

/** A key occurs at most once in `check`, and at most once in `set` and `delete` together. */
export interface Batch {
  /** Keys that must have these versions; 0: must not exist. Otherwise nothing is changed. */
  check?: readonly (readonly [Key, Version])[];
  set?: readonly (readonly [Key, Value])[];
  delete?: readonly Key[];
}

/** No member is optional. All methods reject only with a StorageError. */
export interface KeyValueStore {
  /** Whether other processes may write at the same time. */
  readonly isShared: boolean;
  /**
   * In the order of `keys`, undefined for missing ones. A snapshot that includes every commit resolved before the call.
   */
  get(keys: readonly Key[]): Promise<(Entry | undefined)[]>;
  /**
   * In key order. A snapshot that includes every commit resolved before the call. Fewer than `limit`: the range has no
   * more.
   */
  list(range: Range): Promise<Entry[]>;
  /**
   * Atomic, and durable when it resolves; many may run concurrently. Resolves with the version of all keys set, or with
   * undefined if a check failed. If it rejects with `unavailable`, the batch may be stored or not, as when the answer was
   * lost; with any other code it is not stored.
   */
  commit(batch: Batch): Promise<Version | undefined>;
  /** Rejects if the backend cannot be reached, or cannot store anything. Cheap. */
  ping(): Promise<void>;
  /**
   * Checks for damage that reads do not detect, for example in an index. Read-only; may take minutes. Rejects with
   * `corrupt`.
   */
  verify(): Promise<void>;
  /** Releases everything. podsync calls it once, when no call is running, and nothing else afterwards. */
  close(): Promise<void>;
}

/**
 * Reports a problem to the operator. The message never contains a password, cookie or connection string. `fields` are its
 * parts, for programs that read the log.
 */
export type Log = (level: 'warn' | 'error', message: string, fields?: LogFields) => void;

export type LogFields = Readonly<Record<string, string | number | null>>;

export interface OpenContext {
  /** podsync's data folder, which exists and is readable for its owner only. Relative paths start here. */
  dataDir: string;
  log: Log;
}

export interface StoragePlugin<Options = unknown> {
  /** Short name for configuration, logs and errors: `json`, `sqlite`, `postgres`. */
  readonly name: string;
  /** Version of this contract. The loader refuses any other. */
  readonly contract: 1;
  /**
   * Parses the text after `name:` (a path or URL, may be empty) into options, or throws an Error with what is wrong.
   */
  parse(location: string): Options;
  /** Connects, creates what is missing, and takes a lock if one is needed. Rejects with a StorageError. */
  open(options: Options, context: OpenContext): Promise<KeyValueStore>;
}
