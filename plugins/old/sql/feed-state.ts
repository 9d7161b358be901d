import type { FeedState, Seconds, Url } from '../../../src/old-plugin.ts';

export interface FeedRow {
  url: Url;
  etag: string | null;
  last_modified: string | null;
  interval_seconds: Seconds;
  failures: number;
  next_at: Seconds | null;
  fetched_at: Seconds | null;
  error: string | null;
}

/** The columns of a FeedRow. */
export const FEED = 'podcasts.url, etag, last_modified, interval_seconds, failures, next_at, fetched_at, error';

export const toFeedState = (row: FeedRow): FeedState => ({
  url: row.url,
  ...(row.etag !== null && { etag: row.etag }),
  ...(row.last_modified !== null && { lastModified: row.last_modified }),
  intervalSeconds: row.interval_seconds,
  failures: row.failures,
  ...(row.next_at !== null && { nextAt: row.next_at }),
  ...(row.fetched_at !== null && { fetchedAt: row.fetched_at }),
  ...(row.error !== null && { error: row.error }),
});
