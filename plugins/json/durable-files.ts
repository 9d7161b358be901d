import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isStorageError, StorageError } from '../../src/plugin.ts';

// All functions here reject with a StorageError that names the file.

/** Files in the data folder are readable for their owner only: they contain password hashes. */
export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Creates a folder and its missing parents. Durable when it resolves. */
export async function createFolder(path: string): Promise<void> {
  const absolute = resolve(path);
  const first = await mkdir(absolute, { recursive: true, mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw toStorageError(error, path);
    throw new StorageError('unavailable', `${path} is a file, or inside one; choose a folder`, { cause: error });
  });
  if (first === undefined) return; // it existed
  for (let created = absolute; created.length >= first.length; created = dirname(created)) {
    await syncFolder(dirname(created));
  }
}

/** Opens a file or folder for a step, and closes it. `named`: the path in errors. */
export async function withFile(
  path: string,
  flags: string,
  step: (file: FileHandle) => Promise<void>,
  named = path,
): Promise<void> {
  try {
    const file = await open(path, flags, FILE_MODE);
    await step(file).finally(() => file.close());
  } catch (error) {
    throw toStorageError(error, named);
  }
}

/**
 * Replaces a file atomically: after a crash it has the old or the new content. The new content is durable once
 * `syncFolder` has resolved.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  const write = async (file: FileHandle): Promise<void> => {
    await file.writeFile(bytes);
    await file.sync();
  };
  try {
    await withFile(temporary, 'w', write, path);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // report the first error
    throw toStorageError(error, path);
  }
}

/** Makes new, renamed and removed file names in a folder durable. */
export const syncFolder = (path: string): Promise<void> => withFile(path, 'r', (folder) => folder.sync());

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error) => {
    throw toStorageError(error, path);
  });
}

/** The second code is an exceeded quota, for which Node has no name. */
const NO_ROOM = new Set(['ENOSPC', `Unknown system error -${constants.errno.EDQUOT}`, 'EFBIG']);

/** Converts an error of the file system to a StorageError. */
export function toStorageError(error: unknown, path: string): StorageError {
  if (isStorageError(error)) return error;
  const { code = String(error) } = error as NodeJS.ErrnoException;
  const [meaning, message] = NO_ROOM.has(code)
    ? (['full', `no space left to write ${path}; free some space and try again`] as const)
    : (['unavailable', `${path} cannot be accessed (${code}); check its disk, owner and permissions`] as const);
  return new StorageError(meaning, message, { cause: error });
}
