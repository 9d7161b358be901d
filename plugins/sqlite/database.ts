import {
  type Batch,
  type Entry,
  type Key,
  type Range,
  type StorageError,
  type StorageErrorCode,
  type Version,
} from '../../src/plugin.ts';
import { type Connection, pragma } from './driver.ts';
import { damaged, toStorageError } from './failure.ts';
import { type Access, openFile } from './file.ts';

/** Versions reserved at once, which saves a page of the log in most commits. */
const VERSIONS = 1000;

/** Of a call; a StorageError would lose its code between threads. */
export type Result<T = unknown> = { value: T } | { code: StorageErrorCode; message: string };

/** One connection to an SQLite file. */
export type Database = ReturnType<typeof createDatabase>;

/** Rejects as `openFile` does. */
export const openDatabase = (path: string, access: Access = 'write'): Promise<Database> =>
  openFile(path, access, (connection, close) => createDatabase(path, connection, close));

/** Calls are synchronous: each read is a snapshot, and batches passed together share one transaction and its fsync. */
export function createDatabase(path: string, connection: Connection, closeFile: () => void) {
  const getEntry = connection.prepare<[Key], Entry>('SELECT key, value, version FROM entries WHERE key = ?');
  const getVersion = connection.prepare<[Key], { version: Version }>('SELECT version FROM entries WHERE key = ?');
  const listEntries = connection.prepare<[Key, Key, number], Entry>(
    'SELECT key, value, version FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
  );
  const setEntry = connection.prepare<[Key, string, Version]>(
    `INSERT INTO entries VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version`,
  );
  const deleteEntry = connection.prepare<[Key]>('DELETE FROM entries WHERE key = ?');
  const reserve = connection.prepare<[Version]>('UPDATE sequence SET version = ?');
  /** The newest version used, and the last one reserved. */
  let last = connection.prepare<[], { version: Version }>('SELECT version FROM sequence').get()!.version;
  let reserved = last;
  /** The last commit failed, and may be in the log or not. */
  let isUnsure = false;

  /**
   * A failed commit may be complete in the log: after a crash SQLite would replay it, although reads have not shown it.
   * So before any read or write, another commit overwrites it in the log.
   */
  const overwrite = (): void => {
    if (!isUnsure) return;
    const version = pragma<number>(connection, 'user_version');
    connection.exec(`PRAGMA user_version = ${version}`); // written even if unchanged
    isUnsure = false;
  };
  /** Throws a StorageError. */
  const transact = <T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', step: () => T): T => {
    try {
      overwrite();
      connection.exec(begin);
      const result = step();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      try {
        connection.exec('ROLLBACK');
      } catch {
        // SQLite has already done it, or `BEGIN` failed.
      }
      throw toStorageError(error, path);
    }
  };
  const read = <T>(step: () => T): T => transact('BEGIN', step);

  const apply = ({ check = [], set = [], delete: deleted = [] }: Batch): Result<Version | undefined> => {
    for (const [key, version] of check) {
      if ((getVersion.get(key)?.version ?? 0) !== version) return { value: undefined };
    }
    const version = ++last;
    for (const [key, value] of set) setEntry.run(key, value, version);
    for (const key of deleted) deleteEntry.run(key);
    return { value: version };
  };
  /** Commits batches in order; each one is atomic. */
  const commit = (batches: readonly Batch[]): Result<Version | undefined>[] => {
    try {
      return transact('BEGIN IMMEDIATE', () => {
        const outcomes = batches.map(apply);
        if (last > reserved) reserve.run((reserved = last + VERSIONS));
        return outcomes;
      });
    } catch (error) {
      const { code, message } = error as StorageError;
      // On a full disk the end of the commit was not written: it is certainly not stored.
      if (code !== 'full') isUnsure = true;
      reserved = 0; // the next commit reserves again
      if (batches.length === 1) return [{ code, message }];
      return batches.flatMap((batch) => commit([batch])); // one that is too large must not block the others
    }
  };

  return {
    commit,
    get: (keys: readonly Key[]) => read(() => keys.map((key) => getEntry.get(key))),
    list: ({ from, until, limit }: Range) => read(() => listEntries.all(from, until, limit)),
    /** Throws if the last commit failed and commits still fail. */
    ping: (): void => read(() => undefined),
    /** Takes some seconds per gigabyte. Throws `corrupt` if the table and its index differ. */
    verify(): void {
      const report = read(() => pragma<string>(connection, 'integrity_check(1)'));
      if (report !== 'ok') throw damaged(path, report.split('\n').at(-1)!); // the line after a heading
    },
    close(): void {
      try {
        overwrite(); // SQLite removes the log without a sync: after a power cut it may reappear
      } catch {
        // The disk still fails: the next start recovers what is stored before it answers anything.
      }
      closeFile();
    },
  };
}
