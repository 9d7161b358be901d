import { isStorageError, StorageError } from './errors.ts';

/* Errors of the stores. */

/** The account never existed, or was removed. */
export const noSuchAccount = (): StorageError => new StorageError('missing', 'the account does not exist');

export const noSuchDevice = (): StorageError => new StorageError('missing', 'one of the devices does not exist');

/** Another account has the name or e-mail address. */
export const loginTaken = (what: 'name' | 'e-mail address'): StorageError =>
  new StorageError('conflict', `an account with this ${what} already exists`);

export const listTaken = (): StorageError => new StorageError('conflict', 'a list with this name already exists');

/** The first imported record of an account is not its user. */
export const userNotFirst = (): StorageError =>
  new StorageError('corrupt', 'the first record of an account must be its user');

export const noSuchFeed = (): StorageError => new StorageError('missing', 'the directory does not know this feed');

/** Undefined instead of a `missing` error. */
export const unlessMissing = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isStorageError(error, 'missing')) return undefined;
    throw error;
  });
