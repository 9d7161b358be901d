import type { Url } from '../../domain/types.ts';
import type { BackupRecord } from '../../formats/backup/record.ts';

/** The kinds of records that are counted, and the names of their numbers. */
const COUNTED = {
  user: 'accounts',
  device: 'devices',
  subscription: 'subscriptions',
  action: 'actions',
  settings: 'settings',
  list: 'lists',
  session: 'sessions',
  podcast: 'podcasts',
  episode: 'episodes',
} as const satisfies Partial<Record<BackupRecord['kind'], string>>;

/**
 * Numbers of records in accounts and in the directory. `subscriptions`: feeds on any device, each counted once for an
 * account. `settings`: scopes with settings, which are accounts, devices, podcasts and episodes.
 */
export type RecordCounts = Record<(typeof COUNTED)[keyof typeof COUNTED], number>;

/** Counts records in passing. */
interface RecordCounter {
  counts: RecordCounts;
  /** The same pages; unread ones are not counted. */
  count<Page extends readonly BackupRecord[]>(pages: AsyncIterable<Page>): AsyncIterable<Page>;
}

export function createRecordCounter(): RecordCounter {
  const counts = Object.fromEntries(Object.values(COUNTED).map((name) => [name, 0])) as RecordCounts;
  const feeds = new Set<Url>();
  const add = (record: BackupRecord): void => {
    if (!(record.kind in COUNTED)) return;
    if (record.kind === 'user') feeds.clear();
    if (record.kind === 'subscription') {
      if (!record.subscribed || feeds.has(record.url)) return;
      feeds.add(record.url);
    }
    counts[COUNTED[record.kind as keyof typeof COUNTED]] += 1;
  };
  return {
    counts,
    async *count(pages) {
      for await (const page of pages) {
        page.forEach(add);
        yield page;
      }
    },
  };
}
