import { inBatches } from '../../batches.ts';
import { countOf } from '../../domain/count.ts';
import type { Url } from '../../domain/types.ts';
import { type BackupRecord, readRecord } from '../../formats/backup/record.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { PodcastStore, Storage, User } from '../../storage/stores.ts';
import { type RecordCounts, createRecordCounter } from '../transfer/record-counter.ts';

/** A problem in the stored data. */
interface Finding {
  where: string;
  problem: string;
  /** Whether counting the subscribers again repairs it. */
  isRepairable: boolean;
}

export interface IntegrityReport {
  counts: RecordCounts;
  findings: Finding[];
}

export interface IntegrityCheck {
  /**
   * Reads all stored data and reports what cannot be read or is inconsistent. Changes nothing. `progress` counts accounts,
   * the directory, and the storage as a whole; `records` also grows within them.
   */
  run(progress: (done: number, total: number, records: number) => void): Promise<IntegrityReport>;
}

export const createIntegrityCheck = (
  storage: Pick<Storage, 'users' | 'podcasts' | 'transfer' | 'verify'>,
): IntegrityCheck => ({
  async run(progress) {
    const { users, podcasts, transfer } = storage;
    const counter = createRecordCounter();
    const findings: Finding[] = [];
    const add = (where: string, problem: string): void => void findings.push({ where, problem, isRepairable: false });
    const check = async (where: string, work: () => Promise<void>): Promise<void> => {
      const problem = await work().then(() => undefined, toProblem);
      // `verify` also reads the data of accounts.
      const isKnown = where === 'storage' && findings.some((each) => each.problem === problem);
      if (problem !== undefined && !isKnown) add(where, problem);
    };
    const read = async (
      pages: AsyncIterable<BackupRecord[]>,
      onRecord: (record: BackupRecord) => void,
    ): Promise<void> => {
      for await (const page of counter.count(pages)) {
        page.forEach((record) => onRecord(readRecord(record)));
        records += page.length;
        report();
      }
    };

    let all: User[] = [];
    let [done, records] = [0, 0];
    const report = (): void => progress(done, all.length + 2, records);
    let before = new Map<Url, number>();
    await check('storage', async () => {
      all = await users.all((name, error) => {
        if (error.code !== 'missing') add(`account ${name}`, error.message); // `verify` names all that are missing
      });
      before = await readSubscriberCounts(podcasts);
    });
    const counted = new Map<Url, number>();
    for (const { id, name } of all) {
      report();
      await check(`account ${name}`, async () => {
        const feeds = new Set<Url>();
        await read(transfer.exportUser(id), (record) => {
          if (record.kind === 'subscription' && record.subscribed) feeds.add(record.url);
        });
        for (const url of await findCurrentUrls(podcasts, feeds)) counted.set(url, (counted.get(url) ?? 0) + 1);
      });
      done += 1;
    }
    report();
    await check('directory', () => read(transfer.exportDirectory(), () => undefined));
    done += 1;
    report();
    await check('storage', () => storage.verify());

    // The subscriptions of an account that cannot be read were not counted.
    const miscounted = findings.length > 0 ? 0 : countMismatches(counted, before, await readSubscriberCounts(podcasts));
    if (miscounted > 0) {
      const problem = `the subscribers of ${countOf(miscounted, 'podcast')} are counted incorrectly`;
      findings.push({ where: 'directory', problem, isRepairable: true });
    }
    return { counts: counter.counts, findings };
  },
});

/** The problem that an error reports; undefined for an account deleted meanwhile. Throws other errors. */
function toProblem(error: unknown): string | undefined {
  if (isStorageError(error, 'missing')) return undefined;
  if (isStorageError(error) && error.code !== 'corrupt') throw error;
  return (error as Error).message;
}

/** Podcasts that are looked up at once. */
const BATCH = 1000;

/** The stored number of subscribers of each podcast. */
async function readSubscriberCounts(podcasts: PodcastStore): Promise<Map<Url, number>> {
  const counts = new Map<Url, number>();
  const urls = (await podcasts.feeds()).map(({ url }) => url);
  for (const batch of inBatches(urls, BATCH)) {
    for (const podcast of await podcasts.find(batch)) if (podcast) counts.set(podcast.url, podcast.subscribers);
  }
  return counts;
}

/** The current URLs of the podcasts with these feeds, without those not yet in the directory: see `addPendingFeeds`. */
async function findCurrentUrls(podcasts: PodcastStore, feeds: ReadonlySet<Url>): Promise<Set<Url>> {
  const known = await podcasts.find([...feeds]);
  return new Set(known.flatMap((podcast) => podcast?.url ?? []));
}

/** The number of podcasts with a wrong count. A count that changed in the meantime may be right. */
function countMismatches(
  counted: ReadonlyMap<Url, number>,
  before: ReadonlyMap<Url, number>,
  after: ReadonlyMap<Url, number>,
): number {
  let wrong = 0;
  for (const [url, subscribers] of before) {
    if (after.get(url) === subscribers && (counted.get(url) ?? 0) !== subscribers) wrong += 1;
  }
  return wrong;
}
