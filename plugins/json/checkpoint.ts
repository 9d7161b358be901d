import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Entry, Key, Log } from '../../src/plugin.ts';
import { createFolder, removeFile, syncFolder, toStorageError } from './durable-files.ts';
import { type Files, sizeOf } from './files.ts';
import { between, type Group, merge } from './group.ts';
import type { Groups } from './groups.ts';
import { fitsFileName, type Part } from './layout.ts';
import { MAX_BACKLOG, MAX_CHANGES, MAX_FILE_SIZE, MAX_LOG_SIZE } from './limits.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** At the latest, a checkpoint follows a change after this long, so that the files are worth reading. Milliseconds. */
const DELAY = 10 * 60_000;
const RETRY_DELAY = 30_000;
/** Of the four threads in which Node uses files, one is left for the write-ahead log. */
const GROUPS_AT_ONCE = 3;

/** Writes what has changed to the files it belongs in, one file at a time, so that the write-ahead log can be removed. */
export class Checkpoint {
  readonly #groups: Groups;
  readonly #files: Files;
  readonly #log: WriteAheadLog;
  readonly #report: Log;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Whether the log has been rotated: what is in it now is more than is being written. */
  #isWriting = false;
  #hasFailed = false;
  #isClosed = false;
  /** Folders with names that are not durable yet. */
  readonly #unsynced = new Set<string>();

  constructor(groups: Groups, files: Files, log: WriteAheadLog, report: Log) {
    this.#groups = groups;
    this.#files = files;
    this.#log = log;
    this.#report = report;
  }

  /** Whether so many times as much has changed as makes a checkpoint due. */
  #has(times: number): boolean {
    return this.#log.size > times * MAX_LOG_SIZE || this.#groups.changeCount > times * MAX_CHANGES;
  }

  /** Whether commits outrun it: what they take in memory must have a bound. */
  get isBehind(): boolean {
    return this.#isWriting && this.#has(MAX_BACKLOG);
  }

  /** To be called after changes. */
  schedule(): void {
    if (this.#isClosed) return; // the write-ahead log keeps them
    if (this.#has(1) && !this.#hasFailed) void this.run();
    else this.#timer ??= setTimeout(() => void this.run(), this.#hasFailed ? RETRY_DELAY : DELAY).unref();
  }

  /** Never rejects: where it fails, the write-ahead log keeps everything, and it is tried again later. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#isWriting = false;
      if (this.#log.size > 0 || this.#hasFailed) this.schedule();
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    if (this.#log.broken) return;
    this.#hasFailed = await this.#writeAll().then(
      () => false,
      (error) => {
        const { message } = toStorageError(error, 'the data folder');
        this.#report(
          'warn',
          `changes stay in the write-ahead log until they can be written to their files: ${message}`,
        );
        return true;
      },
    );
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #writeAll(): Promise<void> {
    await this.#log.rotate();
    this.#groups.changeCount = 0;
    this.#isWriting = true;
    const groups = this.#groups.changed();
    const failures: unknown[] = []; // one damaged file must not keep the others from being written
    while (groups.length > 0) {
      const saving = groups.splice(0, GROUPS_AT_ONCE).map((group) => this.#save(group));
      for (const result of await Promise.allSettled(saving)) {
        if (result.status === 'rejected') failures.push(result.reason);
      }
    }
    for (const folder of this.#unsynced) {
      const isRemoved = await removeEmptyFolder(folder);
      await syncFolder(isRemoved ? dirname(folder) : folder);
      this.#unsynced.delete(folder);
    }
    if (failures.length > 0) throw failures[0];
    await this.#log.removeOlder();
  }

  /** Writes what is left, so that the next start has no log to read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    if (this.#log.size > 0 || this.#groups.changed().length > 0) await this.run();
    clearTimeout(this.#timer);
  }

  /** Writes the changes of a group as they are now; what follows meanwhile is left to the next checkpoint. */
  async #save(group: Group): Promise<void> {
    const changes = group.changes.slice();
    const first: Part = { prefix: group.prefix, start: group.prefix };
    const parts = group.parts[0]?.start === first.start ? group.parts : [first, ...group.parts];
    for (const part of parts) {
      const own = between(changes, part.start, group.endOf(part));
      if (own.length === 0) continue;
      const entries = merge(await this.#entriesOf(group, part), own);
      if (entries.length > 0) await this.#write(group, part, entries);
      else await this.#remove(group, part);
      this.#groups.settle(group, own);
    }
  }

  async #entriesOf(group: Group, part: Part): Promise<readonly Entry[]> {
    if (!group.parts.includes(part)) return [];
    const entries = this.#files.cached(part) ?? (await this.#files.read(part));
    return between(entries, part.start, group.endOf(part));
  }

  /**
   * Whenever this is interrupted, files that exist have all keys from their start on. So a file is split from its end,
   * and only loses keys when the other files are durable. Until it does, keys beyond its end are passed over.
   */
  async #write(group: Group, part: Part, entries: readonly Entry[], until = group.endOf(part)): Promise<void> {
    const folder = dirname(this.#files.pathOf(part));
    if (!group.parts.includes(part)) await createFolder(folder);
    const pieces = split(part, entries);
    let end = until;
    for (const [piece, its] of pieces.slice(1).toReversed()) {
      await this.#files.write(piece, end, its);
      group.add(piece);
      await syncFolder(folder);
      end = piece.start;
    }
    const [[first, its]] = pieces;
    await this.#files.write(first, end, its);
    this.#unsynced.add(folder);
    group.remove(part);
    group.add(first);
    this.#files.replace(part, pieces);
  }

  async #remove(group: Group, part: Part): Promise<void> {
    const place = group.parts.indexOf(part);
    if (place === -1) return;
    const previous = group.parts[place - 1];
    // It gets the range, and so must not have old keys in it.
    if (previous) await this.#write(group, previous, await this.#entriesOf(group, previous), group.endOf(part));
    const path = this.#files.pathOf(part);
    const folder = dirname(path);
    if (previous) await syncFolder(folder);
    group.remove(part);
    try {
      await removeFile(path);
    } catch (error) {
      group.add(part);
      throw error;
    }
    this.#unsynced.add(folder);
  }
}

const removeEmptyFolder = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );

/** Divides the entries of a part that has become too long. */
function split(part: Part, entries: readonly Entry[]): [[Part, readonly Entry[]], ...[Part, readonly Entry[]][]] {
  const size = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  const length = size <= MAX_FILE_SIZE ? size : size / Math.ceil(size / MAX_FILE_SIZE);
  const starts: [place: number, start: Key][] = [[0, part.start]];
  let filled = 0;
  for (const [place, entry] of entries.entries()) {
    const start = filled < length ? undefined : startBetween(part.prefix, entries[place - 1]!.key, entry.key);
    if (start !== undefined) starts.push([place, start]);
    filled = (start === undefined ? filled : 0) + sizeOf(entry);
  }
  const pieces = starts.map(([place, start], index): [Part, readonly Entry[]] => [
    { prefix: part.prefix, start },
    entries.slice(place, starts[index + 1]?.[0]),
  ]);
  return pieces as ReturnType<typeof split>;
}

/** A key after `last`, up to `next`, at the end of a segment of it; undefined where it is too long for a file name. */
function startBetween(prefix: string, last: Key, next: Key): Key | undefined {
  let different = prefix.length;
  while (last[different] === next[different]) different += 1;
  const end = next.indexOf('/', different + 1);
  const start = end === -1 ? next : next.slice(0, end);
  return fitsFileName(start.slice(prefix.length)) ? start : undefined;
}
