import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { StorageError, type Version } from '../../src/plugin.ts';
import { FILE_MODE, removeFile, syncFolder, toStorageError } from './durable-files.ts';
import type { Change } from './group.ts';
import {
  cutOff,
  damaged,
  encodeLine,
  lengthOf,
  logName,
  logNumbers,
  type LoggedCommit,
  readLog,
  type Torn,
} from './log-file.ts';

/** Characters of a line, unless a single commit has more. */
const MAX_LINE = 2 * 1024 * 1024;
/** Milliseconds. */
const QUICK_SYNC = 2;

/** What happens to commits that were appended. */
interface Outcome {
  /** They are durable. */
  apply(changes: readonly Change[]): Promise<void> | void;
  /** None of those that were still waiting is stored. */
  discard(): void;
}

interface Waiting extends LoggedCommit {
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Makes commits durable: all that arrive while one line is being written share the next line, and its sync. A checkpoint
 * begins a new file, writes everything in the older ones to files of their own, and removes them.
 */
export class WriteAheadLog {
  /** Bytes of the file that are known to be durable. */
  size = 0;
  /** Why nothing can be stored until podsync is started again. What failed may be stored then, or not. */
  broken: StorageError | undefined;
  readonly #folder: string;
  readonly #outcome: Outcome;
  #file!: FileHandle;
  /** In the name of the file: the version at which it was begun. */
  #number = 0;
  #version: Version = 0;
  #queue: Waiting[] = [];
  /** Of the last sync, milliseconds. */
  #syncTime = 0;
  #writing: Promise<void> | undefined;
  #switchFile: (() => void) | undefined;

  private constructor(folder: string, outcome: Outcome) {
    this.#folder = folder;
    this.#outcome = outcome;
  }

  /**
   * Applies what earlier processes have logged, then begins a file. A damaged line at the end is cut off: it was never
   * acknowledged. Rejects with `corrupt` for any other damage. `isNew`: whether the folder may have no log.
   */
  static async open(folder: string, isNew: boolean, outcome: Outcome): Promise<WriteAheadLog> {
    const log = new WriteAheadLog(folder, outcome);
    const torn: Torn[] = [];
    const numbers = await logNumbers(folder);
    if (numbers.length === 0 && !isNew) throw missing(folder);
    for (const number of numbers) {
      const { commits, tail } = await readLog(join(folder, logName(number)));
      if (commits.length > 0 && torn[0]) throw damaged(torn[0]); // more was acknowledged after it
      if (tail) torn.push(tail);
      for (const { changes } of commits) await outcome.apply(changes);
      log.#version = Math.max(number, commits.at(-1)?.version ?? 0);
    }
    for (const tail of torn) await cutOff(tail);
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

  /** Resolves when the changes of one commit are durable and applied. */
  append(version: Version, changes: readonly Change[]): Promise<void> {
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((resolve, reject) => {
      this.#queue.push({ version, changes, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    await this.#gather();
    while (this.#queue.length > 0 || this.#switchFile) {
      this.#switchFile?.();
      const group = this.#nextGroup();
      try {
        if (group.length > 0) await this.#store(await encodeLine(group));
      } catch (error) {
        this.#fail([...group, ...this.#queue], error as StorageError);
        continue;
      }
      for (const { changes, resolve } of group) {
        await this.#outcome.apply(changes);
        resolve();
      }
      await this.#gather();
    }
    this.#writing = undefined;
  }

  /** Takes those that share the next line. A line takes several times its length in memory, so it has a bound. */
  #nextGroup(): Waiting[] {
    let length = 0;
    const end = this.#queue.findIndex((commit, place) => (length += lengthOf(commit)) > MAX_LINE && place > 0);
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /**
   * Waits for more commits to share the next sync: those of this turn of the event loop, and of callers just answered.
   * Where a sync is quick, processor and disk rather work at the same time.
   */
  async #gather(): Promise<void> {
    if (this.#syncTime > QUICK_SYNC) await setImmediate();
  }

  /** Those behind it fail, too: their checks and sums built on what is not stored. */
  #fail(commits: readonly Waiting[], error: StorageError): void {
    this.#queue = [];
    this.#outcome.discard();
    for (const { reject } of commits) reject(error);
  }

  /** Throws a StorageError, and then nothing is stored. */
  async #store(pieces: readonly Buffer[]): Promise<void> {
    if (this.broken) throw this.broken;
    try {
      let written = 0;
      for (const bytes of pieces) {
        for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
        written += bytes.length;
      }
      const start = performance.now();
      await this.#file.datasync();
      this.#syncTime = performance.now() - start;
      this.size += written;
    } catch (error) {
      throw await this.#undo(error);
    }
  }

  /**
   * Cuts off what a failed write left, and returns the error to report. Only a full disk can pass: after a failed sync
   * nobody knows what is on the disk.
   */
  async #undo(cause: unknown): Promise<StorageError> {
    const error = toStorageError(cause, join(this.#folder, logName(this.#number)));
    const isUndone = await this.#truncate().then(
      () => true,
      () => false,
    );
    if (error.code === 'full' && isUndone) return error;
    const message = `${error.message}, then start podsync again: nothing is stored until then`;
    this.broken = new StorageError('unavailable', message, { cause });
    return this.broken;
  }

  async #truncate(): Promise<void> {
    await this.#file.truncate(this.size);
    await this.#file.datasync();
  }

  /** Begins a new file, unless this one is empty. When it resolves, all commits in the older files are applied. */
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

  /** Removes the older files, once everything in them is durable elsewhere. */
  async removeOlder(): Promise<void> {
    for (const number of await logNumbers(this.#folder)) {
      if (number < this.#number) await removeFile(join(this.#folder, logName(number)));
    }
  }

  async #create(number: number): Promise<FileHandle> {
    const path = join(this.#folder, logName(number));
    try {
      const file = await open(path, 'ax', FILE_MODE);
      await syncFolder(this.#folder).catch(async (error) => {
        await file.close();
        await removeFile(path);
        throw error;
      });
      return file;
    } catch (error) {
      throw toStorageError(error, path);
    }
  }

  /** Reads all files again. Rejects with `corrupt`. */
  async verify(): Promise<void> {
    for (const number of await logNumbers(this.#folder)) {
      const length = number === this.#number ? this.size : undefined;
      const found = await readLog(join(this.#folder, logName(number)), length).catch((error) => {
        if (number < this.#number && error.cause?.code === 'ENOENT') return undefined; // removed by a checkpoint
        throw error;
      });
      if (found?.tail) throw damaged(found.tail);
    }
  }

  /** Waits for commits under way. */
  async settle(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async close(): Promise<void> {
    await this.settle();
    await this.#file.close();
  }
}

const missing = (folder: string): StorageError =>
  new StorageError(
    'corrupt',
    `${folder} has no ${logName(0).replace(/\d+/, '*')}, in which the newest changes are; restore the data folder from a backup`,
  );
