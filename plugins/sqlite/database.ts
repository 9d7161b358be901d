import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { type OpenContext, type Stamp, StorageError, type UserId } from '../../src/plugin.ts';
import { loadDriver } from './driver.ts';
import { toStorageError } from './failure.ts';
import { migrate } from './migrations.ts';
import { fromColumn } from './text.ts';

/** For its owner alone: it holds password hashes. SQLite gives its other files the same mode. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Parameters by name, or by place. */
export type Values = Record<string, unknown> | readonly unknown[];

/**
 * One SQLite file, which belongs to this process alone while it is open: so nothing comes between reading the time and
 * the commit, and no mark can pass a write of another process. A read is one step without a pause, so it is a snapshot;
 * writes that come together share an fsync.
 */
export class Database {
  readonly context: OpenContext;
  readonly #path: string;
  readonly #connection: Connection;
  /** The file that every commit goes to. */
  readonly #log: FileHandle;
  readonly #statements = new Map<string, Statement<[Values], unknown>>();
  readonly #lastStamp: Statement<[Values], { stamp: Stamp }>;
  /** The last fsync that began, and the one that follows it. */
  #flushing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isClosed = false;

  private constructor(path: string, connection: Connection, log: FileHandle, context: OpenContext) {
    this.#path = path;
    this.#connection = connection;
    this.#log = log;
    this.context = context;
    this.#lastStamp = this.prepare('SELECT stamp FROM users WHERE id = @user');
  }

  /** Rejects with `busy` when another process has the file, `corrupt` when it cannot be read. */
  static async open(path: string, context: OpenContext): Promise<Database> {
    const Driver = await loadDriver();
    let connection: Connection | undefined;
    try {
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      await (await open(path, 'a', FILE_MODE)).close();
      connection = new Driver(path, { timeout: 0 });
      for (const setting of [
        'locking_mode = EXCLUSIVE',
        'journal_mode = WAL',
        'synchronous = NORMAL', // all but a commit, which the disk takes while the next writes run: see #flush
        'foreign_keys = ON',
        'cache_size = -16000',
        'temp_store = MEMORY',
        'wal_autocheckpoint = 4000',
      ]) {
        connection.pragma(setting);
      }
      connection.function('crc32', { deterministic: true }, (name) => crc32(fromColumn(name as string | Buffer)));
      migrate(connection, path);
      return new Database(path, connection, await open(`${path}-wal`, 'r+'), context);
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
    if (!row) throw new StorageError('missing', 'there is no such account (any more)');
    return row.stamp;
  }

  /** Runs a read. It must not wait for anything. Resolves when what it found is durable. */
  async read<T>(step: () => T): Promise<T> {
    if (this.#isClosed) throw closed();
    try {
      const found = step();
      await (this.#next ?? this.#flushing);
      return found;
    } catch (error) {
      throw toStorageError(error, this.#path);
    }
  }

  /** Runs a write whole or not at all. Resolves when it is durable. It must not wait for anything. */
  async write<T>(step: () => T): Promise<T> {
    if (this.#isClosed) throw closed();
    try {
      const result = this.#transact(step);
      await this.#flush();
      return result;
    } catch (error) {
      throw toStorageError(error, this.#path);
    }
  }

  #transact<T>(step: () => T): T {
    this.#run('BEGIN IMMEDIATE');
    try {
      const result = step();
      this.#run('COMMIT');
      return result;
    } catch (error) {
      if (this.#connection.inTransaction) this.#run('ROLLBACK');
      throw error;
    }
  }

  /**
   * Makes all that is committed durable. What is committed while the disk is at it waits for the next time. After the
   * disk has failed nobody knows what it holds: nothing is answered any more.
   */
  #flush(): Promise<void> {
    this.#next ??= this.#flushing.then(() => {
      this.#flushing = this.#next!;
      this.#next = undefined;
      return this.#log.datasync();
    });
    return this.#next;
  }

  #run(sql: string): void {
    this.prepare(sql).run({});
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await (this.#next ?? this.#flushing).catch(() => undefined);
    await this.#log.close();
    this.#connection.close();
  }
}

const closed = (): StorageError => new StorageError('unavailable', 'the storage is closed');
