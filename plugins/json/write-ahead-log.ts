import type { FileHandle } from 'node:fs/promises';
import {
  type Batch,
  eachInSlices,
  type Key,
  Mutex,
  StorageError,
  type Value,
  type Version,
  withFile,
} from '../../src/plugin.ts';
import { createFile, removeFile, syncFolder, toStorageError, wrapErrors } from './file-operations.ts';
import type { Change, Groups, Source } from './groups.ts';
import type { Lock } from './lock.ts';
import { encodeLine, type LoggedCommit, logNumbers, logPath, readLog } from './log-file.ts';

/** Maximum characters of a line, unless a single commit has more. */
const MAX_LINE = 2 * 1024 * 1024;
/** Syncs up to this long are fast. Milliseconds. */
const QUICK_SYNC = 2;

/** Without a version if a check failed. */
type Outcome = LoggedCommit | { version: undefined };

/** A batch that waits for its line. */
interface QueuedBatch {
  batch: Batch;
  source: Source;
  resolve(outcome: Outcome | undefined): void;
  reject(error: unknown): void;
}

export type WriteAheadLog = Awaited<ReturnType<typeof openLog>>;

/**
 * Commits batches, with group commit: all that arrive while a line is being written share the next line and its sync. A
 * checkpoint starts a new log file, writes the changes of the older ones to the data files, and removes the older ones.
 *
 * Opening replays the log, then starts a new file. A damaged last line is removed: it was never acknowledged. Rejects
 * with `corrupt` for any other damage. `isNew`: the folder may have no log.
 */
export async function openLog(folder: string, isNew: boolean, groups: Groups, lock: Pick<Lock, 'isHeld'>) {
  let version = await replay(folder, isNew, groups);
  /** Of the current file: the version at which it was started, and its durable bytes. */
  let number = ++version;
  let size = 0;
  let file = await createFile(logPath(folder, number));
  /** Why no commit is possible until podsync is restarted. The failed commit may be stored then or not. */
  let broken: StorageError | undefined;
  const queue: QueuedBatch[] = [];
  let writing: Promise<void> | undefined;
  /** Held while a line is evaluated, written and applied, and while a file is started. */
  const mutex = new Mutex();
  /** Duration of the last sync. Milliseconds. */
  let syncTime = 0;

  const write = async (): Promise<void> => {
    do {
      await waitForMore();
      await mutex.run(writeLine);
    } while (queue.length > 0);
    writing = undefined;
  };

  const writeLine = async (): Promise<void> => {
    const line: [QueuedBatch, Outcome][] = [];
    const changed = new Map<Key, Change>();
    for (const queued of nextBatches()) {
      const outcome = await evaluate(queued, changed);
      if (outcome) line.push([queued, outcome]);
      else queued.resolve(undefined);
    }
    const commits = line.flatMap(([, outcome]) => ('changes' in outcome ? outcome : []));
    try {
      if (commits.length > 0) await store(await encodeLine(commits));
    } catch (error) {
      for (const [{ reject }] of line) reject(error);
      return;
    }
    await groups.apply(commits.flatMap(({ changes }) => changes));
    for (const [{ resolve }, outcome] of line) resolve(outcome);
  };

  /**
   * Evaluates a batch against what is stored, and what is `changed` before it in the same line. Undefined if entries must
   * be loaded first.
   */
  const evaluate = async ({ batch, source }: QueuedBatch, changed: Map<Key, Change>): Promise<Outcome | undefined> => {
    const { check = [], set = [], delete: deleted = [] } = batch;
    let isCurrent = true;
    await eachInSlices(check, ([key, expected]) => {
      const entry = changed.get(key) ?? groups.find(key, source);
      if ((entry?.value === undefined ? 0 : entry.version) !== expected) isCurrent = false;
    });
    if (source.missing > 0) return undefined;
    if (!isCurrent) return { version: undefined };
    const commit = { version: ++version, changes: [] as Change[] };
    const add = (key: Key, value?: Value): void => {
      const change = { key, value, version: commit.version };
      commit.changes.push(change);
      changed.set(key, change);
    };
    await eachInSlices(set, ([key, value]) => add(key, value));
    await eachInSlices(deleted, (key) => add(key));
    return commit;
  };

  /** Waits for more commits to share the next sync: for one turn of the event loop, or less if syncs are fast. */
  const waitForMore = (): Promise<void> =>
    new Promise((resolve) => {
      if (syncTime > QUICK_SYNC) setImmediate(resolve);
      else process.nextTick(resolve); // after all that runs now, such as callers of the commits just resolved
    });

  /** Takes the batches for the next line. Its length is limited, as it takes several times as much memory. */
  const nextBatches = (): QueuedBatch[] => {
    let length = 0;
    const end = queue.findIndex(({ batch }, index) => (length += lengthOf(batch)) > MAX_LINE && index > 0);
    return queue.splice(0, end === -1 ? queue.length : end);
  };

  /** After a restart versions continue from the number of the last file, so older files must not exceed it. */
  const startFile = async (): Promise<void> => {
    const next = ++version;
    file = await createFile(logPath(folder, next));
    [number, size] = [next, 0];
  };

  const store = async (bytes: Buffer): Promise<void> => {
    requireWritable();
    try {
      for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
      const start = performance.now();
      await file.datasync();
      syncTime = performance.now() - start;
      size += bytes.length;
    } catch (error) {
      throw await undo(error);
    }
  };

  /**
   * Truncates a failed write, and returns the error to report. Only a full disk is recoverable: after a failed sync the
   * content of the disk is unknown.
   */
  const undo = async (cause: unknown): Promise<StorageError> => {
    const error = toStorageError(cause, logPath(folder, number));
    try {
      await file.truncate(size);
      await file.datasync();
      if (error.code === 'full') return error;
    } catch {
      // The failed write may be stored.
    }
    const message = `${error.message}, then restart podsync: nothing can be stored until then`;
    return (broken = new StorageError('unavailable', message, { cause }));
  };

  /** Throws if nothing can be stored any more. Files in a folder that has been replaced belong to somebody else. */
  const requireWritable = (): void => {
    if (!lock.isHeld()) {
      const message = `${folder} was replaced, moved or unlocked while podsync was using it; restart podsync`;
      broken ??= new StorageError('unavailable', `${message}: nothing can be stored until then`);
    }
    if (broken) throw broken;
  };

  return {
    get size(): number {
      return size;
    },
    get broken(): StorageError | undefined {
      return broken;
    },
    get isBusy(): boolean {
      return writing !== undefined;
    },
    requireWritable,

    /**
     * Resolves when a batch is durable and applied, or when what made a check fail is: a caller that reads again must see
     * that. Undefined if entries of `source` must be loaded first.
     */
    commit: (batch: Batch, source: Source): Promise<Outcome | undefined> =>
      new Promise((resolve, reject) => {
        queue.push({ batch, source, resolve, reject });
        writing ??= write();
      }),

    /** Starts a new file, unless this one is empty. When it resolves, all commits in the older files are applied. */
    async rotate(): Promise<void> {
      requireWritable();
      if (size === 0) return;
      const old = file;
      await mutex.run(startFile);
      await old.close();
    },

    /** Removes the older files. To be called when their changes are durable elsewhere. */
    async removeOlder(): Promise<void> {
      for (const each of (await logNumbers(folder)).filter((other) => other < number)) {
        await removeFile(logPath(folder, each));
        await syncFolder(folder); // after a power failure, it must not exist without the next one
      }
    },

    /** Reads all files again. Rejects with `corrupt`. */
    async verify(): Promise<void> {
      for (const each of await logNumbers(folder)) {
        const found = await readLog(logPath(folder, each), each === number ? size : undefined).catch((error) => {
          if (each < number && error.cause?.code === 'ENOENT') return undefined; // removed by a checkpoint
          throw error;
        });
        if (found?.tail) throw found.tail;
      }
    },

    close: (): Promise<void> => file.close(),
  };
}

/** Applies all commits in the log, and returns the newest version; 0 in a new folder. */
async function replay(folder: string, isNew: boolean, groups: Groups): Promise<Version> {
  const numbers = await logNumbers(folder);
  if (numbers.length === 0 && !isNew) {
    const message = `${folder} has no wal-*.jsonl with the newest changes; restore the data folder from a backup`;
    throw new StorageError('corrupt', message);
  }
  let version = 0;
  let damaged: StorageError | undefined;
  const lengths = new Map<string, number>();
  for (const number of numbers) {
    const path = logPath(folder, number);
    const { commits, length, tail } = await readLog(path);
    if (commits.length > 0 && damaged) throw damaged; // later commits were acknowledged
    damaged ??= tail;
    lengths.set(path, length);
    for (const { changes } of commits) await groups.apply(changes);
    version = Math.max(version, number, commits.at(-1)?.version ?? 0);
  }
  // A killed process may not have synced its last line. It must be durable before anything that depends on it.
  for (const [path, length] of lengths) {
    const sync = async (file: FileHandle): Promise<void> => {
      await file.truncate(length);
      await file.sync();
    };
    await wrapErrors(path, withFile(path, 'r+', sync));
  }
  return version;
}

const lengthOf = ({ set = [], delete: deleted = [] }: Batch): number =>
  [...set.flat(), ...deleted].reduce((sum, { length }) => sum + length, 0);
