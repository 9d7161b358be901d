import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder, type Entry, isStorageError, type Key, type Log } from '../../src/plugin.ts';
import { removeFile, syncFolder, toStorageError, wrapErrors } from './file-operations.ts';
import type { Files } from './files.ts';
import { applyTo, between, type Group, type Groups, type Part, sizeOf, totalSize } from './groups.ts';
import { fitsFileName } from './layout.ts';
import { MAX_BACKLOG, MAX_CHANGES, MAX_FILE_SIZE, MAX_LOG_SIZE } from './limits.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** Maximum delay between a change and its checkpoint, so that the files are up to date for readers. Milliseconds. */
const DELAY = 10 * 60_000;
const RETRY_DELAY = 30_000;
/** Node has four threads for file operations: one is left for the write-ahead log. */
const GROUPS_AT_ONCE = 3;

/** Writes changes from the write-ahead log to the data files, so that the log can be removed. */
export function createCheckpoint(groups: Groups, files: Files, log: WriteAheadLog, report: Log) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Whether the log was rotated: its current file has changes beyond those being written. */
  let isWriting = false;
  /** Whether the last checkpoint failed, and may succeed if it is repeated: a damaged file stays so until the operator acts. */
  let canRetry = false;
  let isClosed = false;
  const folderOf = (group: Group): string => dirname(files.pathOf({ group, start: group.prefix }));
  /** Folders whose file names may not be durable yet: a killed process may have changed files of the groups in its log. */
  const unsynced = new Set(groups.changed().map(folderOf));

  /** Whether the changes exceed a multiple of what makes a checkpoint due. */
  const exceeds = (times: number): boolean =>
    log.size > times * MAX_LOG_SIZE || groups.changeCount > times * MAX_CHANGES;

  const schedule = (): void => {
    if (isClosed || log.broken) return; // changes stay in the write-ahead log
    if (exceeds(1) && !canRetry) void run();
    else timer ??= setTimeout(() => void run(), canRetry ? RETRY_DELAY : DELAY).unref();
  };

  /** Never rejects: after a failure, changes stay in the write-ahead log, and the checkpoint is retried. */
  const run = (): Promise<void> => (running ??= runOnce());

  async function runOnce(): Promise<void> {
    try {
      await writeAll();
      canRetry = false;
    } catch (error) {
      canRetry = !isStorageError(error, 'corrupt');
      const { message } = toStorageError(error, 'the data folder');
      report('warn', `changes stay in the write-ahead log until they can be written to their files: ${message}`);
    }
    clearTimeout(timer);
    timer = running = undefined;
    isWriting = false;
    if (log.size > 0 || canRetry) schedule();
  }

  async function writeAll(): Promise<void> {
    await log.rotate();
    groups.changeCount = 0;
    isWriting = true;
    await syncFolders();
    const changed = groups.changed();
    const failures: unknown[] = []; // a damaged file must not block the others
    const saveOne = (group: Group): Promise<unknown> => save(group).catch((error) => failures.push(error));
    while (changed.length > 0) await Promise.all(changed.splice(0, GROUPS_AT_ONCE).map(saveOne));
    await syncFolders();
    if (failures.length > 0) throw failures.find((each) => !isStorageError(each, 'corrupt')) ?? failures[0];
    await log.removeOlder();
  }

  /** Makes the names of files durable, and those of their folders. Removes empty folders. */
  async function syncFolders(): Promise<void> {
    const all = new Set<string>();
    for (const folder of unsynced) {
      await rmdir(folder).catch(() => undefined); // if it is empty
      for (let path = folder; path !== dirname(files.folder); path = dirname(path)) all.add(path);
    }
    for (const folder of all) if (existsSync(folder)) await syncFolder(folder);
    unsynced.clear();
  }

  /** Writes the current changes of a group; later ones are left to the next checkpoint. */
  async function save(group: Group): Promise<void> {
    const { prefix, parts } = group;
    const changes = group.sortChanges();
    unsynced.add(folderOf(group));
    // The keys before the first file, if there are any, get a file of their own.
    for (const part of parts[0]?.start === prefix ? parts : [{ group, start: prefix }, ...parts]) {
      const own = between(changes, part.start, group.endOf(part));
      if (own.length === 0) continue;
      const entries = applyTo(await entriesOf(part), own);
      if (entries.length > 0) await write(part, entries);
      else if (group.has(part)) await remove(part);
      groups.discardFlushed(group, own);
    }
  }

  async function entriesOf(part: Part): Promise<readonly Entry[]> {
    if (!part.group.has(part)) return [];
    const entries = files.cached(part) ?? (await files.read(part));
    return between(entries, part.start, part.group.endOf(part));
  }

  /**
   * At any interruption, existing files must have all keys from their start on. So a file is split from its end, and is
   * shortened last, once the new files are durable. Until then, keys beyond its end are ignored.
   */
  async function write(part: Part, entries: readonly Entry[], end = part.group.endOf(part)): Promise<void> {
    const { group } = part;
    const folder = folderOf(group);
    if (!group.has(part)) await wrapErrors(folder, createFolder(folder));
    const written = split(part, entries);
    let until = end;
    for (const [next, itsEntries] of written.slice(1).toReversed()) {
      await files.write(next, until, itsEntries);
      group.replace(next, [next]); // at once: after a failure, the next checkpoint must know the file
      await syncFolder(folder);
      until = next.start;
    }
    const [first, itsEntries] = written[0]!;
    await files.write(first, until, itsEntries);
    group.replace(part, [first]);
    files.replace(part, written);
  }

  async function remove(part: Part): Promise<void> {
    const { group } = part;
    const previous = group.parts[group.parts.indexOf(part) - 1];
    // It takes over the range, and must not have old keys there.
    if (previous) await write(previous, await entriesOf(previous), group.endOf(part));
    await syncFolder(folderOf(group)); // the previous file must be durable before this one is removed
    group.replace(part, []);
    await removeFile(files.pathOf(part)).catch((error) => {
      group.replace(part, [part]);
      throw error;
    });
  }

  return {
    /** Whether commits must wait for the running checkpoint, to bound the memory of changes. */
    get isBehind(): boolean {
      return isWriting && exceeds(MAX_BACKLOG);
    },
    schedule,
    run,
    /** Writes the remaining changes, so that the next start has no log to replay. */
    async close(): Promise<void> {
      isClosed = true;
      await running;
      await run();
      clearTimeout(timer);
    },
  };
}

/** Splits the entries of a part that is too long. */
function split({ group, start }: Part, entries: readonly Entry[]): [Part, readonly Entry[]][] {
  const size = totalSize(entries);
  const length = size / Math.ceil(size / MAX_FILE_SIZE);
  const parts: [Part, readonly Entry[]][] = [];
  let [begin, filled, from] = [0, 0, start];
  for (const [index, entry] of entries.entries()) {
    const next = filled < length ? undefined : startBetween(group.prefix, entries[index - 1]!.key, entry.key);
    if (next !== undefined) {
      parts.push([{ group, start: from }, entries.slice(begin, index)]);
      [begin, filled, from] = [index, 0, next];
    }
    filled += sizeOf(entry);
  }
  return [...parts, [{ group, start: from }, entries.slice(begin)]];
}

/** A key after `last` and up to `next`, cut at the end of a segment; undefined if it is too long for a file name. */
function startBetween(prefix: string, last: Key, next: Key): Key | undefined {
  let different = prefix.length;
  while (last[different] === next[different]) different += 1;
  const end = next.indexOf('/', different + 1);
  const start = end === -1 ? next : next.slice(0, end);
  return fitsFileName(start.slice(prefix.length)) ? start : undefined;
}
