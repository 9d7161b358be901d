import type { AccountRecord, BackupRecord } from '../../formats/backup/record.ts';

/** An account of a backup, or its directory. */
export interface Section {
  /** Its first record; undefined for the directory. */
  account: AccountRecord | undefined;
  /** All records, including the first. A second iteration continues where the last one stopped. */
  records: AsyncIterable<BackupRecord[]>;
}

const DIRECTORY: ReadonlySet<BackupRecord['kind']> = new Set(['tag', 'podcast', 'episode', 'toplist']);

/** The accounts of a backup, and then its directory if it has one. Skips the unread records of each. */
export async function* splitSections(pages: AsyncIterable<BackupRecord[]>): AsyncIterable<Section> {
  const source = pages[Symbol.asyncIterator]();
  /** Records that were read but not yet yielded. */
  let page: BackupRecord[] = [];

  const fill = async (): Promise<boolean> => {
    while (page.length === 0) {
      const next = await source.next();
      if (next.done) return false;
      page = next.value;
    }
    return true;
  };
  const take = async function* (isNext: (record: BackupRecord) => boolean): AsyncGenerator<BackupRecord[]> {
    while (await fill()) {
      const end = page.findIndex(isNext);
      if (end === 0) return;
      yield page.splice(0, end === -1 ? page.length : end);
    }
  };

  try {
    while (await fill()) {
      const first = page[0]!;
      const isNext = DIRECTORY.has(first.kind)
        ? () => false
        : (record: BackupRecord) => record !== first && (record.kind === 'user' || DIRECTORY.has(record.kind));
      const records = { [Symbol.asyncIterator]: () => take(isNext) };
      yield { account: first.kind === 'user' ? first : undefined, records };
      await drain(records);
    }
  } finally {
    await source.return?.();
  }
}

/** Reads the rest and discards it. */
export async function drain(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _page of pages);
}
