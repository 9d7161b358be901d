import { withTimeout } from '../timeout.ts';

/** Shorter than the timeout of a scrape, which must succeed while the storage does not respond. Milliseconds. */
const TIMEOUT = 2000;
/** Milliseconds. */
const MAX_AGE = 60_000;

/**
 * A value that is loaded at most once in `maxAge` milliseconds. Resolves with undefined while it cannot be loaded, or
 * takes too long.
 */
export function createSample<Value>(
  load: () => Promise<Value>,
  maxAge: number = MAX_AGE,
): () => Promise<Value | undefined> {
  let latest: Promise<Value | undefined> | undefined;
  let loadedAt: number | undefined; // undefined while it is loaded
  return () => {
    if (!latest || (loadedAt !== undefined && performance.now() - loadedAt >= maxAge)) {
      loadedAt = undefined;
      latest = load()
        .catch(() => undefined)
        .finally(() => (loadedAt = performance.now()));
    }
    return withTimeout(latest, TIMEOUT, () => undefined);
  };
}
