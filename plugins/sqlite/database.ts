import type { Database as Connection, Statement } from 'better-sqlite3';
import { type Batch, type Entry, type Key, type Range, StorageError, type Version } from '../../src/plugin.ts';
import { damaged, toStorageError } from './failure.ts';
import { openFile } from './file.ts';

/** How many versions are taken from the sequence at once: a page of the log less in most commits. */
const VERSIONS = 1000;

/** What a batch came to. */
export type Outcome = { version: Version | undefined } | { error: StorageError };

/**
 * One SQLite file, which belongs to this process alone while it is open. Every call is one step without a pause: so a
 * read is a snapshot, and batches that are given together share one transaction and its fsync.
 */
export class Database {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #get: Statement<[Key], Entry>;
  readonly #version: Statement<[Key], Version>;
  readonly #list: Statement<[Key, Key, number], Entry>;
  readonly #set: Statement<[Key, string, Version]>;
  readonly #delete: Statement<[Key]>;
  readonly #sequence: Statement<[], Version>;
  readonly #reserve: Statement<[Version]>;
  /** The newest version that was given out, and up to which they are reserved. */
  #last: Version;
  #reserved: Version;
  /** A commit failed, and nobody knows what is left of it. */
  #isUnsure = false;

  private constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#connection = connection;
    this.#get = connection.prepare('SELECT key, value, version FROM entries WHERE key = ?');
    this.#version = connection.prepare<[Key], Version>('SELECT version FROM entries WHERE key = ?').pluck();
    this.#list = connection.prepare(
      'SELECT key, value, version FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
    );
    this.#set = connection.prepare(
      `INSERT INTO entries VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version`,
    );
    this.#delete = connection.prepare('DELETE FROM entries WHERE key = ?');
    this.#sequence = connection.prepare<[], Version>('SELECT version FROM sequence').pluck();
    this.#reserve = connection.prepare('UPDATE sequence SET version = ?');
    this.#last = this.#reserved = this.#sequence.get()!;
  }

  /** Rejects as `openFile` does. `prepare` is for tests. */
  static async open(path: string, prepare?: (connection: Connection) => void): Promise<Database> {
    const connection = await openFile(path);
    try {
      prepare?.(connection);
      return new Database(path, connection);
    } catch (error) {
      connection.close();
      throw toStorageError(error, path);
    }
  }

  get(keys: readonly Key[]): (Entry | undefined)[] {
    return this.#read(() => keys.map((key) => this.#get.get(key)));
  }

  list({ from, until, limit }: Range): Entry[] {
    return this.#read(() => this.#list.all(from, until, limit));
  }

  /** Everybody waits for it: some seconds a gigabyte. Throws `corrupt` where the table and its index do not agree. */
  verify(): void {
    const report = this.#read(() => this.#connection.pragma('integrity_check(1)', { simple: true }) as string);
    if (report !== 'ok') throw damaged(this.#path, report.split('\n').at(-1)!); // below a heading for a damaged page
  }

  /** Throws where the last commit failed and nothing can be stored yet. */
  ping(): void {
    this.get([]);
  }

  /** Commits batches, each by itself whole or not at all; in the order given, as if one came after the other. */
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
      // Where there is no room, its end was not written: it is surely not stored.
      if (failure.code !== 'full') this.#isUnsure = true;
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      this.#reserved = 0; // the next commit reserves again
      if (batches.length === 1) return [{ error: failure }];
      return batches.flatMap((batch) => this.commit([batch])); // one that is too large stops no other
    }
  }

  #apply({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Outcome {
    for (const [key, version] of check) {
      if ((this.#version.get(key) ?? 0) !== version) return { version: undefined };
    }
    const sums: [Key, number][] = [];
    for (const [key, amount] of sum) {
      const total = Number(this.#get.get(key)?.value ?? 0) + amount;
      if (!Number.isSafeInteger(total)) return { error: new StorageError('corrupt', `${key} holds no whole number`) };
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
   * What a failed commit wrote may be whole in the log: after a crash SQLite would take it for stored, though reads since
   * have not shown it. So nothing is read or written before another commit has taken its place in the log.
   */
  #overwrite(): void {
    if (!this.#isUnsure) return;
    const version = this.#connection.pragma('user_version', { simple: true }) as number;
    this.#connection.pragma(`user_version = ${version}`); // is written also where it is the same
    this.#isUnsure = false;
  }

  close(): void {
    try {
      this.#overwrite(); // SQLite removes the log without a sync: after a power cut it may exist again
    } catch {
      // The disk is still bad: the next start finds what is stored, before anything is answered.
    }
    this.#connection.close();
  }
}
