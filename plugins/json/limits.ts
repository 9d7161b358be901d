/** Bytes of the write-ahead log after which a checkpoint follows. */
export const MAX_LOG_SIZE = 32 * 1024 * 1024;
/** Changes of keys after which a checkpoint follows. */
export const MAX_CHANGES = 50 * 1000;
/** So many times as much makes commits wait for the checkpoint that is under way. */
export const MAX_BACKLOG: number = 1;
/** Characters. A longer file is split into files of the same length, about. */
export const MAX_FILE_SIZE = 512 * 1024;
/** Characters of the entries that stay in memory, beside what has changed since the last checkpoint. */
export const CACHE_SIZE = 16 * 1024 * 1024;
/** A commit with more keys goes by itself, in slices. */
export const MANY_KEYS: number = 2000;
/** Keys of such a commit that are looked at, and changed, at once. */
export const KEYS_AT_ONCE: number = 1000;
