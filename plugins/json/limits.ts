/** Bytes of the write-ahead log that trigger a checkpoint. */
export const MAX_LOG_SIZE = 32 * 1024 * 1024;
/** Changed keys that trigger a checkpoint. */
export const MAX_CHANGES = 50 * 1000;
/** Multiple of these at which commits wait for the running checkpoint. */
export const MAX_BACKLOG: number = 1;
/** Characters. A longer file is split evenly. */
export const MAX_FILE_SIZE = 512 * 1024;
/** Characters of cached entries, besides the changes since the last checkpoint. */
export const CACHE_SIZE = 16 * 1024 * 1024;
