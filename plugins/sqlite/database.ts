import { type Batch, type Entry, type Key, type Range, StorageError, type Version } from '../../src/plugin.ts';
import { type Connection, pragma, type Statement } from './driver.ts';
import { damaged, toStorageError } from './failure.ts';
import { openFile } from './file.ts';

/** Versions reserved at once, which saves a page of the log in most commits. */
const VERSIONS = 1000;

/** Result of a batch. */
export type Outcome = { version: Version | undefined } | { error: StorageError };

/**
 * One SQLite file, locked by this process while it is open. Calls are synchronous: each read is a snapshot, and batches
 * passed together share one transaction and its fsync.
 */
export class Database {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #get: Statement<[Key], Entry>;
  readonly #version: Statement<[Key], { version: Version }>;
  readonly #list: Statement<[Key, Key, number], Entry>;
  readonly #set: Statement<[Key, string, Version], never>;
  readonly #delete: Statement<[Key], never>;
  readonly #reserve: Statement<[Version], never>;
  /** The newest version used, and the last one reserved. */
  #last: Version;
  #reserved: Version;
  /** The last commit failed, and may be in the log or not. */
  #isUnsure = false;

  private constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#connection = connection;
    this.#get = connection.prepare('SELECT key, value, version FROM entries WHERE key = ?');
    this.#version = connection.prepare('SELECT version FROM entries WHERE key = ?');
    this.#list = connection.prepare(
      'SELECT key, value, version FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
    );
    this.#set = connection.prepare(
      `INSERT INTO entries VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version`,
    );
    this.#delete = connection.prepare('DELETE FROM entries WHERE key = ?');
    this.#reserve = connection.prepare('UPDATE sequence SET version = ?');
    const { version } = connection.prepare<[], { version: Version }>('SELECT version FROM sequence').get()!;
    this.#last = this.#reserved = version;
  }

  /** Rejects as `openFile` does. `prepare` is for tests. */
  static open(path: string, prepare?: (connection: Connection) => void): Promise<Database> {
    return openFile(path, (connection) => {
      prepare?.(connection);
      return new Database(path, connection);
    });
  }

  get(keys: readonly Key[]): (Entry | undefined)[] {
    return this.#read(() => keys.map((key) => this.#get.get(key)));
  }

  list({ from, until, limit }: Range): Entry[] {
    return this.#read(() => this.#list.all(from, until, limit));
  }

  /** Blocks all other calls, for some seconds per gigabyte. Throws `corrupt` if the table and its index differ. */
  verify(): void {
    const report = this.#read(() => pragma<string>(this.#connection, 'integrity_check(1)'));
    if (report !== 'ok') throw damaged(this.#path, report.split('\n').at(-1)!); // the line after a heading
  }

  /** Throws if the last commit failed and commits still fail. */
  ping(): void {
    this.get([]);
  }

  /** Commits batches in order; each one is atomic. */
  commit(batches: readonly Batch[]): Outcome[] {
    try {
      this.#overwrite();
      this.#connection.exec('BEGIN IMMEDIATE');
      const outcomes = batches.map((batch) => this.#apply(batch));
      if (this.#last > this.#reserved) this.#reserve.run((this.#reserved = this.#last + VERSIONS));
      this.#connection.exec('COMMIT');
      return outcomes;
    } catch (error) {
      const failure = toStorageError(error, this.#path);
      // On a full disk the end of the commit was not written: it is certainly not stored.
      if (failure.code !== 'full') this.#isUnsure = true;
      this.#rollback();
      this.#reserved = 0; // the next commit reserves again
      if (batches.length === 1) return [{ error: failure }];
      return batches.flatMap((batch) => this.commit([batch])); // one that is too large must not block the others
    }
  }

  /** After some errors SQLite has already done it, and after `BEGIN` failed there is nothing to do: both are errors. */
  #rollback(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // No transaction is left.
    }
  }

  #apply({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Outcome {
    for (const [key, version] of check) {
      if ((this.#version.get(key)?.version ?? 0) !== version) return { version: undefined };
    }
    const sums: [Key, number][] = [];
    for (const [key, amount] of sum) {
      const total = Number(this.#get.get(key)?.value ?? 0) + amount;
      if (!Number.isSafeInteger(total)) return { error: new StorageError('corrupt', `${key} is not a whole number`) };
      sums.push([key, total]);
    }
    const version = ++this.#last;
    for (const [key, value] of set) this.#set.run(key, value, version);
    for (const key of deleted) this.#delete.run(key);
    for (const [key, total] of sums) this.#set.run(key, String(total), version);
    return { version };
  }

  #read<T>(step: () => T): T {
    try {
      this.#overwrite();
      return step();
    } catch (error) {
      throw toStorageError(error, this.#path);
    }
  }

  /**
   * A failed commit may be complete in the log: after a crash SQLite would replay it, although reads have not shown it.
   * So before any read or write, another commit overwrites it in the log.
   */
  #overwrite(): void {
    if (!this.#isUnsure) return;
    const version = pragma<number>(this.#connection, 'user_version');
    this.#connection.exec(`PRAGMA user_version = ${version}`); // written even if unchanged
    this.#isUnsure = false;
  }

  close(): void {
    try {
      this.#overwrite(); // SQLite removes the log without a sync: after a power cut it may reappear
    } catch {
      // The disk still fails: the next start recovers what is stored before it answers anything.
    }
    this.#connection.close();
  }
}
