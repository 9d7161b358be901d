import { type FileHandle, open } from 'node:fs/promises';
import { StorageError, type Version } from '../../src/plugin.ts';
import { FILE_MODE, removeFile, syncFolder, toStorageError, withFile } from './durable-files.ts';
import type { Change } from './group.ts';
import type { Groups } from './groups.ts';
import { damage, type DamagedLine, encodeLine, type LoggedCommit, logNumbers, logPath, readLog } from './log-file.ts';

/** Maximum characters of a line, unless a single commit has more. */
const MAX_LINE = 2 * 1024 * 1024;
/** Syncs up to this long are fast. Milliseconds. */
const QUICK_SYNC = 2;

interface QueuedCommit extends LoggedCommit {
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Makes commits durable, with group commit: all that arrive while a line is being written share the next line and its
 * sync. A checkpoint starts a new log file, writes the changes of the older ones to the data files, and removes the
 * older ones.
 */
export class WriteAheadLog {
  /** Durable bytes of the current file. */
  size = 0;
  /** Why no commit is possible until podsync is restarted. The failed commit may be stored then or not. */
  broken: StorageError | undefined;
  readonly #folder: string;
  readonly #groups: Groups;
  #file!: FileHandle;
  /** Number in the file name: the version at which the file was started. */
  #number = 0;
  #version: Version = 0;
  #queue: QueuedCommit[] = [];
  /** Duration of the last sync. Milliseconds. */
  #syncTime = 0;
  #writing: Promise<void> | undefined;
  #switchFile: (() => void) | undefined;

  private constructor(folder: string, groups: Groups) {
    this.#folder = folder;
    this.#groups = groups;
  }

  /**
   * Replays the log, then starts a new file. A damaged last line is removed: it was never acknowledged. Rejects with
   * `corrupt` for any other damage. `isNew`: the folder may have no log.
   */
  static async open(folder: string, isNew: boolean, groups: Groups): Promise<WriteAheadLog> {
    const log = new WriteAheadLog(folder, groups);
    const numbers = await logNumbers(folder);
    if (numbers.length === 0 && !isNew) {
      const message = `${folder} has no wal-*.jsonl with the newest changes; restore the data folder from a backup`;
      throw new StorageError('corrupt', message);
    }
    const tails: DamagedLine[] = [];
    for (const number of numbers) {
      const { commits, tail } = await readLog(logPath(folder, number));
      if (commits.length > 0 && tails[0]) throw damage(tails[0]); // later commits were acknowledged
      if (tail) tails.push(tail);
      for (const { changes } of commits) await groups.apply(changes);
      log.#version = Math.max(number, commits.at(-1)?.version ?? 0);
    }
    for (const { path, length } of tails) {
      await withFile(path, 'r+', async (file) => {
        await file.truncate(length);
        await file.sync(); // before there is a newer file
      });
    }
    log.#number = log.nextVersion();
    log.#file = await log.#create(log.#number);
    return log;
  }

  /** Whether commits are being written. */
  get isBusy(): boolean {
    return this.#writing !== undefined;
  }

  nextVersion(): Version {
    return ++this.#version;
  }

  /** Resolves when a commit is durable and applied. */
  append(version: Version, changes: readonly Change[]): Promise<void> {
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((resolve, reject) => {
      this.#queue.push({ version, changes, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    await this.#waitForMore();
    while (this.#queue.length > 0 || this.#switchFile) {
      this.#switchFile?.();
      const group = this.#nextGroup();
      try {
        if (group.length > 0) await this.#store(await encodeLine(group));
      } catch (error) {
        this.#fail([...group, ...this.#queue], error as StorageError);
        continue;
      }
      await this.#groups.apply(group.flatMap(({ changes }) => changes));
      for (const { resolve } of group) resolve();
      await this.#waitForMore();
    }
    this.#writing = undefined;
  }

  /** Takes the commits for the next line. Its length is limited, as it takes several times as much memory. */
  #nextGroup(): QueuedCommit[] {
    let length = 0;
    const end = this.#queue.findIndex((commit, place) => (length += lengthOf(commit)) > MAX_LINE && place > 0);
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /** Waits for more commits to share the next sync: for one turn of the event loop, or less if syncs are fast. */
  #waitForMore(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#syncTime > QUICK_SYNC) setImmediate(resolve);
      else process.nextTick(resolve); // after all that runs now, such as callers of the commits just resolved
    });
  }

  /** Rejects commits, and all that are queued: their checks and sums depend on the failed ones. */
  #fail(commits: readonly QueuedCommit[], error: StorageError): void {
    this.#queue = [];
    this.#groups.discardPending();
    for (const { reject } of commits) reject(error);
  }

  /** Throws a StorageError if nothing was stored. */
  async #store(bytes: Buffer): Promise<void> {
    if (this.broken) throw this.broken;
    try {
      for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
      const start = performance.now();
      await this.#file.datasync();
      this.#syncTime = performance.now() - start;
      this.size += bytes.length;
    } catch (error) {
      throw await this.#undo(error);
    }
  }

  /**
   * Truncates a failed write, and returns the error to report. Only a full disk is recoverable: after a failed sync the
   * content of the disk is unknown.
   */
  async #undo(cause: unknown): Promise<StorageError> {
    const error = toStorageError(cause, logPath(this.#folder, this.#number));
    try {
      await this.#file.truncate(this.size);
      await this.#file.datasync();
      if (error.code === 'full') return error;
    } catch {
      // The failed write may be stored.
    }
    const message = `${error.message}, then restart podsync: nothing can be stored until then`;
    return (this.broken = new StorageError('unavailable', message, { cause }));
  }

  /** Starts a new file, unless this one is empty. When it resolves, all commits in the older files are applied. */
  async rotate(): Promise<void> {
    if (this.size === 0) return;
    const number = this.nextVersion();
    const next = await this.#create(number);
    const old = this.#file;
    await new Promise<void>((resolve) => {
      this.#switchFile = () => {
        this.#switchFile = undefined;
        this.#file = next;
        this.#number = number;
        this.size = 0;
        resolve();
      };
      this.#writing ??= this.#write();
    });
    await old.close();
  }

  /** Removes the older files. To be called when their changes are durable elsewhere. */
  async removeOlder(): Promise<void> {
    for (const number of await logNumbers(this.#folder)) {
      if (number < this.#number) await removeFile(logPath(this.#folder, number));
    }
  }

  async #create(number: number): Promise<FileHandle> {
    const path = logPath(this.#folder, number);
    const file = await open(path, 'ax', FILE_MODE).catch((error) => {
      throw toStorageError(error, path);
    });
    try {
      await syncFolder(this.#folder);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads all files again. Rejects with `corrupt`. */
  async verify(): Promise<void> {
    for (const number of await logNumbers(this.#folder)) {
      const length = number === this.#number ? this.size : undefined;
      const found = await readLog(logPath(this.#folder, number), length).catch((error) => {
        if (number < this.#number && error.cause?.code === 'ENOENT') return undefined; // removed by a checkpoint
        throw error;
      });
      if (found?.tail) throw damage(found.tail);
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }
}

/** Approximate characters of a commit in a line. */
const lengthOf = ({ changes }: LoggedCommit): number =>
  changes.reduce((sum, { key, value = '' }) => sum + key.length + value.length, 0);
