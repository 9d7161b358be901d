/**
 * Options of an LRU cache for at most this number of entries, which takes memory as it fills. With the option `max` it
 * takes all at once: the caches of podsync together 4 MB, and 15 ms at the start of each command.
 */
export const atMost = (entries: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
});
