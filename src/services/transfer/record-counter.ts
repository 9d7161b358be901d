import type { Url } from '../../domain/types.ts';
import type { BackupRecord } from '../../formats/backup/record.ts';

/** Numbers of records in accounts and in the directory. */
export interface RecordCounts {
  accounts: number;
  devices: number;
  /** Feeds on any device, each counted once for an account. */
  subscriptions: number;
  actions: number;
  /** Scopes with settings: accounts, devices, podcasts, episodes. */
  settings: number;
  lists: number;
  sessions: number;
  podcasts: number;
  episodes: number;
}

/** Counts records in passing. */
interface RecordCounter {
  counts: RecordCounts;
  /** The same pages; unread ones are not counted. */
  count<Page extends readonly BackupRecord[]>(pages: AsyncIterable<Page>): AsyncIterable<Page>;
}

const COUNTED = {
  user: 'accounts',
  device: 'devices',
  action: 'actions',
  settings: 'settings',
  list: 'lists',
  session: 'sessions',
  podcast: 'podcasts',
  episode: 'episodes',
} as const satisfies Partial<Record<BackupRecord['kind'], keyof RecordCounts>>;

export function createRecordCounter(): RecordCounter {
  const counts: RecordCounts = {
    accounts: 0,
    devices: 0,
    subscriptions: 0,
    actions: 0,
    settings: 0,
    lists: 0,
    sessions: 0,
    podcasts: 0,
    episodes: 0,
  };
  const feeds = new Set<Url>();
  const add = (record: BackupRecord): void => {
    if (record.kind === 'user') feeds.clear();
    if (record.kind !== 'subscription') {
      if (record.kind in COUNTED) counts[COUNTED[record.kind as keyof typeof COUNTED]] += 1;
    } else if (record.subscribed && !feeds.has(record.url)) {
      feeds.add(record.url);
      counts.subscriptions += 1;
    }
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
