import { isStorageError, StorageError } from './errors.ts';

/* What the stores reject with, in the same words everywhere. */

/** Of an account that never was, or has been removed meanwhile. */
export const noSuchAccount = (): StorageError => new StorageError('missing', 'there is no such account (any more)');

export const noSuchDevice = (): StorageError => new StorageError('missing', 'there is no device with one of these ids');

/** Another account has the name, or the e-mail address. */
export const loginTaken = (what: 'name' | 'e-mail address'): StorageError =>
  new StorageError('conflict', `an account with this ${what} exists already`);

export const listTaken = (): StorageError => new StorageError('conflict', 'there is a list with this name already');

/** The records of an account that is being imported begin with something else. */
export const userNotFirst = (): StorageError =>
  new StorageError('corrupt', 'the first record of an account must be its user');

export const noSuchFeed = (): StorageError => new StorageError('missing', 'the directory does not know this feed');

/** Undefined for an account that does not exist (any more). */
export const unlessMissing = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isStorageError(error, 'missing')) return undefined;
    throw error;
  });
