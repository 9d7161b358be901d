import { readFile } from 'node:fs/promises';
import { type Adapter, Low } from 'lowdb';
import { StorageError } from '../../../src/old-plugin.ts';
import { toStorageError, writeDurably } from './folder.ts';
import { toLines } from './lines.ts';

/**
 * A JSON file that holds all of something as of one moment. lowdb's own file adapter renames without a sync, leaves
 * files readable for everybody and writes the whole for every change; here changes are durable in the journal first.
 */
class SnapshotFile<File extends object> implements Adapter<File> {
  /** Characters, when it was read or written last. */
  length = 0;
  /** Whether there is a file. */
  isThere = false;
  readonly #path: string;
  readonly #remedy: string;

  constructor(path: string, remedy: string) {
    this.#path = path;
    this.#remedy = remedy;
  }

  async read(): Promise<File | null> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw toStorageError(error, this.#path);
    });
    if (text === null) return null;
    this.isThere = true;
    this.length = text.length;
    try {
      return JSON.parse(text) as File;
    } catch (error) {
      throw new StorageError('corrupt', `${this.#path} is damaged; ${this.#remedy}`, { cause: error });
    }
  }

  async write(file: File): Promise<void> {
    const text = toLines(file as Record<string, unknown>);
    await writeDurably(this.#path, text);
    this.isThere = true;
    this.length = text.length;
  }
}

/** lowdb's `Low` on such a file. */
export interface Snapshot<File extends object> extends Low<File> {
  readonly adapter: SnapshotFile<File>;
}

const RESTORE = 'restore the data folder from a backup';
/** For a file whose content can be read from the feeds again. */
export const READ_AGAIN = `remove it to have its feeds read again, or ${RESTORE}`;

/**
 * The file's content in `data`; what it lacks is as in `empty`: there may be no file yet, or one of an older version.
 * Rejects with `corrupt` when it is damaged; `remedy` says what to do then.
 */
export async function openSnapshot<File extends object>(
  path: string,
  empty: File,
  remedy = RESTORE,
): Promise<Snapshot<File>> {
  const snapshot = new Low(new SnapshotFile<File>(path, remedy), empty) as Snapshot<File>;
  await snapshot.read();
  snapshot.data = { ...empty, ...snapshot.data };
  return snapshot;
}
