import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isStorageError, StorageError } from '../../../src/old-plugin.ts';

// The functions here reject with a StorageError, whatever goes wrong.

/** Everything below the data folder is for its owner alone: it holds password hashes. */
export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Makes a folder and those above it that are missing. Resolves when they would survive a power cut. */
export async function createFolder(path: string): Promise<void> {
  const whole = resolve(path);
  const highest = await mkdir(whole, { recursive: true, mode: FOLDER_MODE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw toStorageError(error, path);
    throw new StorageError('unavailable', `${path} is a file, or lies in one; give podsync a folder`, { cause: error });
  });
  if (highest === undefined) return; // it was there
  for (let made = whole; made.length >= highest.length; made = dirname(made)) await syncFolder(dirname(made));
}

/**
 * Replaces a file whole: after a crash there is the old text or the new one, never a part. Resolves when the new one
 * would survive a power cut.
 */
export async function writeDurably(path: string, text: string | Uint8Array): Promise<void> {
  await replaceFile(path, text);
  await syncFolder(dirname(path));
}

/** The same, but only after a `syncFolder` is the new file sure to survive a power cut. */
export async function replaceFile(path: string, text: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  try {
    const file = await open(temporary, 'w', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // why it was not written is told, not this
    throw toStorageError(error, path);
  }
}

/** Makes the names in a folder durable: a new or renamed file is only there for good after this. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw toStorageError(error, path);
  }
}

/** Removes a file or a folder with all that is in it. */
export async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch((error) => {
    throw toStorageError(error, path);
  });
}

const CHECK = 'check its disk, its owner and its permissions';
/** The second is a quota that is used up: Node has no name for it. */
const NO_ROOM = new Set(['ENOSPC', `Unknown system error -${system.errno.EDQUOT}`, 'EFBIG']);

/** What the file system answered, in the words of the storage contract. */
export function toStorageError(error: unknown, path: string): StorageError {
  if (isStorageError(error)) return error;
  const { code = 'an unknown error' } = error as NodeJS.ErrnoException;
  return NO_ROOM.has(code)
    ? new StorageError('full', `there is no room left to write ${path}; free some space and try again`, {
        cause: error,
      })
    : new StorageError('unavailable', `${path} could not be used (${code}); ${CHECK}`, { cause: error });
}

/** What is said of a file that could not be read: that it is damaged, unless the system kept it back. */
export function toReadError(error: unknown, path: string, remedy: string): StorageError {
  const { code = 'ENOENT' } = error as NodeJS.ErrnoException;
  return code === 'ENOENT'
    ? new StorageError('corrupt', `${path} cannot be read; ${remedy}`, { cause: error })
    : toStorageError(error, path);
}
