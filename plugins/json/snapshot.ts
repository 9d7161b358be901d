import { readFile } from 'node:fs/promises';
import { type Adapter, Low } from 'lowdb';
import { StorageError } from '../../src/plugin.ts';
import { writeDurably } from './folder.ts';
import { toLines } from './lines.ts';

/**
 * A JSON file that holds all of something as of one moment. lowdb's own file adapter renames without a sync, leaves
 * files readable for everybody and writes the whole for every change; here changes are durable in the journal first.
 */
class SnapshotFile<File extends object> implements Adapter<File> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<File | null> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    try {
      return JSON.parse(text) as File;
    } catch (error) {
      throw new StorageError('corrupt', `${this.#path} is damaged; restore the data folder from a backup`, {
        cause: error,
      });
    }
  }

  async write(file: File): Promise<void> {
    await writeDurably(this.#path, toLines(file as Record<string, unknown>));
  }
}

/**
 * The file's content in `data`; what is not there yet, or was not known to the version that wrote it, as in `empty`.
 * Rejects with `corrupt` when it is damaged.
 */
export async function openSnapshot<File extends object>(path: string, empty: File): Promise<Low<File>> {
  const snapshot = new Low(new SnapshotFile<File>(path), empty);
  await snapshot.read();
  snapshot.data = { ...empty, ...snapshot.data };
  return snapshot;
}
