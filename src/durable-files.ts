import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** For their owner only: the files of podsync contain password hashes, and feed addresses, which can be secrets. */
export const FILE_MODE = 0o600;

/** Opens a file or folder for a step, and closes it. */
export async function withFile<T>(path: string, flags: string, step: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags, FILE_MODE);
  try {
    return await step(file);
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file atomically by a temporary one, which `write` fills: after a crash it has the old or the new content. The
 * new content is durable once `syncFolder` has resolved.
 */
export async function replaceFile<T>(
  path: string,
  temporary: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    const result = await withFile(temporary, 'w', async (file) => {
      const written = await write(file);
      await file.sync();
      return written;
    });
    await rename(temporary, path);
    return result;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // report the first error
    throw error;
  }
}

/** Makes new, renamed and removed file names in a folder durable. */
export const syncFolder = (path: string): Promise<void> => withFile(path, 'r', (folder) => folder.sync());

/**
 * Creates a folder for its owner only, and its missing parents; their names are durable when it resolves. Returns the first
 * one that it created; undefined if the folder existed. Not `recursive`: Node would retry for ever if an existing folder
 * returns ENOENT, as in /proc.
 */
export async function createFolder(path: string): Promise<string | undefined> {
  try {
    return (await createIfMissing(path)) ? path : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const first = await createFolder(dirname(path));
  const isNew = await createIfMissing(path);
  return first ?? (isNew ? path : undefined);
}

/** Creates a folder in an existing one. Resolves to false if it existed: another call may have created it meanwhile. */
async function createIfMissing(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    await syncFolder(dirname(path)).catch(() => undefined); // not every system can do that
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory()) return false;
    throw error;
  }
}
