import type { DirectoryRecord, Seconds, Url } from '../../../src/old-plugin.ts';

/** A podcast on a toplist that was kept. */
export interface KeptRow {
  at: Seconds;
  url: Url;
}

/** Newest first, and of each the first rank first. */
export const KEPT_TOPLISTS =
  'SELECT at, url FROM toplists JOIN podcasts ON podcasts.id = podcast_id ORDER BY at DESC, place';

/** The toplists of these rows. */
export function toToplistRecords(rows: readonly KeptRow[]): DirectoryRecord[] {
  const toplists = new Map<Seconds, Url[]>();
  for (const { at, url } of rows) toplists.set(at, [...(toplists.get(at) ?? []), url]);
  return [...toplists].map(([at, urls]) => ({ kind: 'toplist', at, urls }));
}
