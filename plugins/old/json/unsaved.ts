import type { Log } from '../../../src/old-plugin.ts';
import { toStorageError } from './folder.ts';
import type { Journal } from './journal.ts';

/** What is saved as a whole, in files of its own. */
export interface Part {
  save(): Promise<void>;
}

/** What the folding needs of the journal. */
type Folded = Pick<Journal<unknown>, 'size' | 'rotate' | 'removeOlder'>;

/** A journal longer than this is folded into the snapshots at once. Bytes. */
const JOURNAL_LIMIT = 32 * 1024 * 1024;
/** Snapshots follow a change after this long, so that the files are worth reading. Milliseconds. */
const SNAPSHOT_DELAY = 30_000;

/** The parts with changes that only the journal has, and the folding of the journal into their snapshots. */
export class Unsaved {
  readonly #folder: string;
  readonly #journal: Folded;
  readonly #log: Log;
  readonly #parts = new Set<Part>();
  /** What is being saved: until that is done, its files are older than it is. */
  #leaving: Part | undefined;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;
  #isClosed = false;

  constructor(folder: string, journal: Folded, log: Log) {
    this.#folder = folder;
    this.#journal = journal;
    this.#log = log;
  }

  add(part: Part): void {
    this.#parts.add(part);
  }

  has(part: Part): boolean {
    return this.#parts.has(part) || this.#leaving === part;
  }

  /** What is removed needs no snapshot. Resolves when none is being written. */
  async delete(part: Part): Promise<void> {
    this.#parts.delete(part);
    if (this.#leaving !== part) return;
    this.#leaving = undefined;
    await this.settle();
  }

  clear(): void {
    this.#parts.clear();
    this.#leaving = undefined;
  }

  /** Folds the journal before long. */
  saveLater(): void {
    if (this.#isClosed) return; // the journal has it, and the folder may be another's before long
    if (this.#journal.size > JOURNAL_LIMIT) void this.save();
    else this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.save();
    }, SNAPSHOT_DELAY).unref();
  }

  /** Folds the journal into the snapshots. When that fails, the journal still has everything and it is tried again. */
  save(): Promise<void> {
    this.#saving ??= this.#saveAll()
      .catch((error) => {
        this.#log(
          'warn',
          `snapshots are late, the journal grows meanwhile: ${toStorageError(error, error.path ?? this.#folder).message}`,
        );
        this.#schedule();
      })
      .finally(() => {
        this.#saving = undefined;
        if (this.#parts.size > 0) this.#schedule(); // what changed meanwhile
      });
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#journal.rotate();
    const parts = [...this.#parts]; // what changes from here on is for the next time
    for (const part of parts) {
      if (!this.#parts.delete(part)) continue; // removed meanwhile
      this.#leaving = part;
      try {
        await part.save();
      } catch (error) {
        if (this.#leaving === part) this.#parts.add(part);
        throw error;
      } finally {
        this.#leaving = undefined;
      }
    }
    await this.#journal.removeOlder();
  }

  /** Waits for the snapshots that are being written. */
  async settle(): Promise<void> {
    await this.#saving;
  }

  /** Saves what is left, and the journal too, though all of it may have been saved: the next start need not read it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settle();
    if (this.#parts.size > 0 || this.#journal.size > 0) await this.save();
    clearTimeout(this.#timer);
  }
}
