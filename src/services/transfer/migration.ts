import type { UserId } from '../../domain/types.ts';
import { type BackupRecord, readRecord } from '../../formats/backup/record.ts';
import type { Storage } from '../../storage/stores.ts';
import { type RecordCounts, createRecordCounter } from './record-counter.ts';

interface MigrationOptions {
  /** Counts accounts and directories, each when copied and when compared; `records` also grows within them. */
  progress(done: number, total: number, records: number): void;
  /** Aborts the migration. */
  signal: AbortSignal;
}

const NOT_EMPTY =
  'the target is not empty; choose a new one, or, if it is the incomplete copy of a migration that was killed, delete it first';

type MigratedStorage = Pick<Storage, 'users' | 'podcasts' | 'transfer'>;

/**
 * Copies everything into an empty storage, and compares both line by line. Returns the number of copied records. Rejects
 * if the target is not empty, if there is nothing to copy, and on any error: then the target is empty again.
 */
export async function migrate(
  from: MigratedStorage,
  to: MigratedStorage,
  { progress, signal }: MigrationOptions,
): Promise<RecordCounts> {
  const isEmpty = !(await to.users.hasAny()) && (await to.podcasts.feeds()).length === 0;
  if (!isEmpty) throw new Error(NOT_EMPTY);
  const users = await from.users.all();
  if (users.length === 0) throw new Error('the source has no accounts; check that it is the right storage');

  const counter = createRecordCounter();
  const total = 2 * (users.length + 1);
  let [started, records] = [0, 0];
  const step = (): void => {
    signal.throwIfAborted();
    progress(started++, total, records);
  };
  const watch = async function* <Page extends readonly unknown[]>(pages: AsyncIterable<Page>): AsyncIterable<Page> {
    for await (const page of pages) {
      signal.throwIfAborted();
      yield page;
      records += page.length;
      progress(started - 1, total, records);
    }
  };
  try {
    const copies: UserId[] = [];
    for (const { id } of users) {
      step();
      copies.push(await to.transfer.importUser(counter.count(watch(from.transfer.exportUser(id)))));
    }
    step();
    await to.transfer.importDirectory(counter.count(watch(from.transfer.exportDirectory())));
    for (const [index, { id, name }] of users.entries()) {
      step();
      await compare(`account ${name}`, watch(from.transfer.exportUser(id)), to.transfer.exportUser(copies[index]!));
    }
    step();
    await compare('directory', watch(from.transfer.exportDirectory()), to.transfer.exportDirectory());
    return counter.counts;
  } catch (error) {
    await to.transfer.clear();
    throw error;
  }
}

/** Rejects unless both have the same lines in a backup. */
async function compare(
  what: string,
  original: AsyncIterable<BackupRecord[]>,
  copy: AsyncIterable<BackupRecord[]>,
): Promise<void> {
  const copied = toLines(copy);
  try {
    for await (const line of toLines(original)) {
      const { value } = await copied.next();
      if (value !== line) throw differs(what);
    }
    if (!(await copied.next()).done) throw differs(what);
  } finally {
    await copied.return(undefined); // releases its snapshot
  }
}

const differs = (what: string): Error =>
  new Error(
    `the copy of the ${what} differs from the original; stop everything that uses the source, and run this again`,
  );

async function* toLines(pages: AsyncIterable<BackupRecord[]>): AsyncGenerator<string> {
  for await (const page of pages) for (const record of page) yield JSON.stringify(readRecord(record));
}
