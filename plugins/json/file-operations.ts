import { type FileHandle, open, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import {
  createFolder as create,
  FILE_MODE,
  isStorageError,
  replaceFile as replace,
  StorageError,
  syncFolder as sync,
} from '../../src/plugin.ts';

/* File operations that reject with a StorageError, which names the file. */

/** See `createFolder` of podsync. */
export async function createFolder(path: string): Promise<void> {
  await create(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw toStorageError(error, path);
    throw new StorageError('unavailable', `${path} is a file, or inside one; choose a folder`, { cause: error });
  });
}

/** Creates a file to append to; it must not exist. Its name is durable when it resolves. */
export async function createFile(path: string): Promise<FileHandle> {
  const file = await wrapErrors(path, open(path, 'ax', FILE_MODE));
  await syncFolder(dirname(path)).catch(async (error) => {
    await file.close();
    throw error;
  });
  return file;
}

/** See `replaceFile` of podsync. */
export const replaceFile = (path: string, bytes: Uint8Array): Promise<void> =>
  wrapErrors(
    path,
    replace(path, `${path}.new`, (file) => file.writeFile(bytes)),
  );

export const syncFolder = (path: string): Promise<void> => wrapErrors(path, sync(path));

export const removeFile = (path: string): Promise<void> => wrapErrors(path, rm(path, { force: true }));

/** Rejects with a StorageError if the step rejects. */
export const wrapErrors = <T>(path: string, step: Promise<T>): Promise<T> =>
  step.catch((error) => {
    throw toStorageError(error, path);
  });

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
