import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { isStorageError, type StorageContext, type Stamp, StorageError, type UserId } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';
import { loadDriver } from './driver.ts';
import { DAMAGED, toStorageError } from './failure.ts';
import { migrate } from './migrations.ts';
import { fromColumn } from './text.ts';

/** For its owner alone: it holds password hashes. SQLite gives its other files the same mode. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** How long writes that have come together may run before they are committed. Milliseconds. */
const SLICE = 50;

/** A write in line: runs inside the transaction, and settles its promise after the commit. */
interface Write {
  run(): void;
  /** `failure` when the transaction came to nothing. */
  settle(failure: Error | undefined): void;
}

/** Parameters by name, or by place. */
export type Values = Record<string, unknown> | readonly unknown[];

/**
 * One SQLite file, which belongs to this process alone while it is open: so nothing comes between reading the time and
 * the commit, and no mark can pass a write of another process. A read is one step without a pause, so it is a snapshot;
 * writes that come together are one commit with one fsync.
 */
export class Database {
  readonly context: StorageContext;
  readonly #path: string;
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement<[Values], unknown>>();
  readonly #lastStamp: Statement<[Values], { stamp: Stamp }>;
  #queue: Write[] = [];
  /** A commit failed, and nobody knows what is left of it. */
  #isUnsure = false;
  #isClosed = false;

  private constructor(path: string, connection: Connection, context: StorageContext) {
    this.#path = path;
    this.#connection = connection;
    this.context = context;
    this.#lastStamp = this.prepare('SELECT stamp FROM users WHERE id = @user');
  }

  /** Rejects with `busy` when another process has the file, `corrupt` when it cannot be read. */
  static async open(path: string, context: StorageContext): Promise<Database> {
    const Driver = await loadDriver();
    let connection: Connection | undefined;
    try {
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      await (await open(path, 'a', FILE_MODE)).close();
      connection = new Driver(path, { timeout: 0 });
      for (const setting of [
        'locking_mode = EXCLUSIVE',
        'journal_mode = WAL',
        'synchronous = FULL',
        'foreign_keys = ON',
        'cache_size = -16000',
        'temp_store = MEMORY',
        'wal_autocheckpoint = 4000',
      ]) {
        connection.pragma(setting);
      }
      connection.function('crc32', { deterministic: true }, (name) => crc32(fromColumn(name as string | Buffer)));
      migrate(connection, path);
      return new Database(path, connection, context);
    } catch (error) {
      connection?.close();
      throw toStorageError(error, path);
    }
  }

  /** A statement, compiled once. */
  prepare<Row>(sql: string): Statement<[Values], Row> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare<[Values], unknown>(sql);
      this.#statements.set(sql, statement);
    }
    return statement as Statement<[Values], Row>;
  }

  /** The user's newest stamp. Throws `missing` when there is no such user. */
  lastStamp(user: UserId): Stamp {
    const row = this.#lastStamp.get({ user });
    if (!row) throw noSuchAccount();
    return row.stamp;
  }

  /** Throws `missing` when there is no such user. */
  requireUser(user: UserId): void {
    this.lastStamp(user);
  }

  /** Runs a read. It must not wait for anything. */
  async read<T>(step: () => T): Promise<T> {
    if (this.#isClosed) throw closed();
    try {
      this.#overwrite();
      return step();
    } catch (error) {
      throw toStorageError(error, this.#path);
    }
  }

  /** Rejects with `corrupt` where a table and its indexes do not agree. Everybody waits for it: some seconds a gigabyte. */
  async verify(): Promise<void> {
    const report = await this.read(() => this.#connection.pragma('integrity_check(1)', { simple: true }) as string);
    if (report === 'ok') return;
    const finding = report.split('\n').at(-1); // below a heading, where it is a page that is damaged
    throw new StorageError('corrupt', `${this.#path} ${DAMAGED} (${finding})`);
  }

  /** Runs a write whole or not at all. Resolves when it is durable. It must not wait for anything. */
  write<T>(step: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      let finish: () => void;
      if (this.#queue.length === 0) setImmediate(() => this.#commit(SLICE));
      this.#queue.push({
        run: () => {
          const result = this.#attempt(step);
          finish = 'value' in result ? () => resolve(result.value) : () => reject(result.failure);
        },
        settle: (failure) => (failure ? reject(failure) : finish()),
      });
    });
  }

  /** Runs a step so that its failure undoes nothing but itself. */
  #attempt<T>(step: () => T): { value: T } | { failure: Error } {
    this.#run('SAVEPOINT step');
    try {
      const value = step();
      this.#run('RELEASE step');
      return { value };
    } catch (error) {
      if (!this.#connection.inTransaction) throw error; // SQLite gave up all of it: the disk is full, say
      this.#run('ROLLBACK TO step');
      this.#run('RELEASE step');
      return { failure: toStorageError(error, this.#path) };
    }
  }

  #commit(slice: number): void {
    if (this.#queue.length === 0) return;
    const until = performance.now() + slice;
    const done: Write[] = [];
    let failure: Error | undefined;
    try {
      this.#overwrite();
      this.#run('BEGIN IMMEDIATE');
      do {
        const write = this.#queue.shift()!;
        done.push(write);
        write.run();
      } while (this.#queue.length > 0 && performance.now() < until);
      this.#run('COMMIT');
    } catch (error) {
      failure = toStorageError(error, this.#path);
      // Where there is no room, its end was not written: it is surely not there.
      if (!isStorageError(failure) || failure.code !== 'full') this.#isUnsure = true;
      if (this.#connection.inTransaction) this.#run('ROLLBACK');
      if (done.length === 0) done.push(this.#queue.shift()!); // it could not even begin
    }
    for (const write of done) write.settle(failure);
    if (this.#queue.length > 0) setImmediate(() => this.#commit(slice));
  }

  /**
   * What a failed commit wrote may be whole in the log: after a crash SQLite would take it for stored, older than marks
   * that were answered since. So nothing is answered before another commit has taken its place in the log.
   */
  #overwrite(): void {
    if (!this.#isUnsure) return;
    const version = this.#connection.pragma('user_version', { simple: true }) as number;
    this.#connection.pragma(`user_version = ${version}`); // is written also where it is the same
    this.#isUnsure = false;
  }

  #run(sql: string): void {
    this.prepare(sql).run({});
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    while (this.#queue.length > 0) this.#commit(Infinity);
    try {
      this.#overwrite(); // SQLite removes the log without a sync: after a power cut it may be there again
    } catch {
      // The disk is still bad: the next start finds what is there, before anything is answered.
    }
    this.#connection.close();
  }
}

const closed = (): StorageError => new StorageError('unavailable', 'the storage is closed');
