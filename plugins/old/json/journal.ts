import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../../src/old-plugin.ts';
import { FILE_MODE, syncFolder, toStorageError } from './folder.ts';
import {
  checksum,
  cutOff,
  damaged,
  fileName,
  HEAD,
  journalFiles,
  readJournal,
  REST,
  type Torn,
} from './journal-file.ts';
import { LineBuffer } from './line-buffer.ts';

/*
 * An upload is answered once its line is on disk. One line is one batch: all changes that arrived while the batch
 * before was being written. They go to disk with one sync, each in one piece or more:
 * ["<crc32 of the rest>",[<sequence number>,<piece>,...],...]. Until that sync a power cut may take any part of the
 * line and leave the rest, so one checksum covers all of it: that tells a power cut from damage. Snapshots follow
 * later; then a new file is begun and the older ones are removed. A new file takes a sequence number, too, and is named
 * by it, so that the numbers go on rising however many files are gone.
 */

/** How a change is written. */
export interface Packing<Change> {
  /** JSON texts. */
  pack(change: Change): string[];
  /** From the same, parsed. */
  unpack(pieces: readonly unknown[]): Change;
}

interface Entry<Change> {
  seq: number;
  change: Change;
  resolve(): void;
  reject(error: Error): void;
}

export class Journal<Change> {
  readonly #folder: string;
  readonly #packing: Packing<Change>;
  readonly #apply: (seq: number, change: Change) => void;
  #file!: FileHandle;
  /** The number that names the file. */
  #begin = 0;
  #seq = 0;
  /** Bytes of the file that are known to be durable. */
  #size = 0;
  #queue: Entry<Change>[] = [];
  /** The line of those in the queue, except its end. */
  #line = new LineBuffer();
  /** The line that is being written. */
  #leaving = new LineBuffer();
  #writing: Promise<void> | undefined;
  #beforeNextBatch: (() => void) | undefined;
  #broken: StorageError | undefined;

  private constructor(folder: string, packing: Packing<Change>, apply: (seq: number, change: Change) => void) {
    this.#folder = folder;
    this.#packing = packing;
    this.#apply = apply;
  }

  /**
   * Answers the changes that are found, then begins a new file; `apply` gets every later change once it is durable, in
   * order. A damaged line at the end is dropped: nobody was told that anything of it is stored. Rejects with `corrupt`
   * for one anywhere else.
   */
  static async open<Change>(
    folder: string,
    packing: Packing<Change>,
    apply: (seq: number, change: Change) => void,
  ): Promise<{ journal: Journal<Change>; found: [seq: number, change: Change][] }> {
    const journal = new Journal<Change>(folder, packing, apply);
    let found: [number, Change][] = [];
    const torn: Torn[] = [];
    for (const begin of await journalFiles(folder)) {
      const { records, tail } = await readJournal(join(folder, fileName(begin)));
      if (records.length > 0 && torn[0]) throw damaged(torn[0]); // what follows was answered, and so was that line
      if (tail) torn.push(tail);
      found = found.concat(records.map(([seq, ...pieces]) => [seq, packing.unpack(pieces)]));
      journal.#seq = Math.max(journal.#seq, begin, records.at(-1)?.[0] ?? 0);
    }
    for (const tail of torn) await cutOff(tail);
    journal.#begin = ++journal.#seq;
    journal.#file = await journal.#create(journal.#begin);
    return { journal, found };
  }

  /** Bytes appended since the file was begun. */
  get size(): number {
    return this.#size;
  }

  /** Why nothing can be stored until podsync is started again. What failed may be there then, or not. */
  get broken(): StorageError | undefined {
    return this.#broken;
  }

  /** Goes on after a change that a snapshot has: where the journal is gone, new ones would be taken for older ones. */
  goOnAfter(seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
  }

  /** Resolves when the change is durable and applied. After a rejection nothing of it is stored. */
  append(change: Change): Promise<void> {
    if (this.#broken) return Promise.reject(this.#broken);
    const pieces = this.#packing.pack(change);
    const seq = ++this.#seq;
    if (this.#line.length === 0) this.#line.append(HEAD);
    this.#line.append(`,[${seq}`);
    for (const piece of pieces) {
      this.#line.append(',');
      this.#line.append(piece);
    }
    this.#line.append(']');
    return new Promise((resolve, reject) => {
      this.#queue.push({ seq, change, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    await undefined; // everyone in this tick shares the sync
    while (this.#queue.length > 0 || this.#beforeNextBatch) {
      this.#beforeNextBatch?.();
      const batch = this.#queue;
      this.#queue = [];
      [this.#line, this.#leaving] = [this.#leaving, this.#line];
      try {
        if (batch.length > 0) await this.#store(endLine(this.#leaving));
      } catch (refusal) {
        for (const entry of batch) entry.reject(refusal as StorageError);
        continue;
      } finally {
        this.#leaving.clear();
      }
      for (const entry of batch) {
        this.#apply(entry.seq, entry.change);
        entry.resolve();
      }
    }
    this.#writing = undefined;
  }

  /** Throws a StorageError, and then nothing is stored. */
  async #store(bytes: Buffer): Promise<void> {
    if (this.#broken) throw this.#broken;
    try {
      for (let written = 0; written < bytes.length;) {
        written += (await this.#file.write(bytes, written)).bytesWritten;
      }
      await this.#file.datasync();
      this.#size += bytes.length;
    } catch (error) {
      throw await this.#cut(error);
    }
  }

  /**
   * Takes back what a failed write left, and answers what to say of it. Only a full disk is passing trouble: after a
   * failed sync nobody knows what is on disk.
   */
  async #cut(cause: unknown): Promise<StorageError> {
    const refusal = toStorageError(cause, join(this.#folder, fileName(this.#begin)));
    const isCut = await this.#takeBack().then(
      () => true,
      () => false,
    );
    if (refusal.code === 'full' && isCut) return refusal;
    const message = `${refusal.message}, then start podsync again: nothing is stored until then`;
    this.#broken = new StorageError('unavailable', message, { cause });
    return this.#broken;
  }

  async #takeBack(): Promise<void> {
    await this.#file.truncate(this.#size);
    await this.#file.datasync();
  }

  /** Begins a new file, unless this one is empty. When this resolves, all changes in the older files are applied. */
  async rotate(): Promise<void> {
    if (this.#size === 0) return;
    const begin = ++this.#seq;
    const next = await this.#create(begin);
    const old = this.#file;
    await new Promise<void>((resolve) => {
      this.#beforeNextBatch = () => {
        this.#beforeNextBatch = undefined;
        this.#file = next;
        this.#begin = begin;
        this.#size = 0;
        resolve();
      };
      this.#writing ??= this.#write();
    });
    await old.close();
  }

  /** Removes the older files. Only when the snapshots hold all their changes. */
  async removeOlder(): Promise<void> {
    for (const older of await journalFiles(this.#folder)) {
      if (older < this.#begin) await rm(join(this.#folder, fileName(older)), { force: true });
    }
  }

  async #create(begin: number): Promise<FileHandle> {
    const path = join(this.#folder, fileName(begin));
    try {
      const file = await open(path, 'ax', FILE_MODE);
      await syncFolder(this.#folder).catch(async (error) => {
        await file.close();
        await rm(path, { force: true });
        throw error;
      });
      return file;
    } catch (error) {
      throw toStorageError(error, path);
    }
  }

  /** Closes a journal to which nothing was added, and leaves nothing of it. */
  async discard(): Promise<void> {
    await this.close();
    if (this.#size === 0) await rm(join(this.#folder, fileName(this.#begin)), { force: true });
  }

  /** Waits for what was handed in. */
  async close(): Promise<void> {
    while (this.#writing) await this.#writing;
    await this.#file.close();
  }
}

/** Answers the whole line. */
function endLine(line: LineBuffer): Buffer {
  line.append(']\n');
  const { bytes } = line;
  bytes.write(checksum(bytes.subarray(REST, -1)), 2, 'latin1');
  return bytes;
}
