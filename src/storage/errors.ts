/**
 * Why a storage operation failed: `conflict`: the name is taken; `missing`: does not exist; `busy`: locked by another
 * process; `corrupt`: stored data cannot be read; `unavailable`: the backend cannot be reached now; `full`: no space
 * left.
 */
export type StorageErrorCode = 'conflict' | 'missing' | 'busy' | 'corrupt' | 'unavailable' | 'full';

const brand = Symbol.for('podsync.StorageError');

/** The only error that a storage rejects with; wraps the errors of its backend. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  /**
   * `message` says where the problem is and what to do; it never contains a password or a connection string. With
   * `conflict` and `missing` it is sent to clients and contains no paths.
   */
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/**
 * Checks the code, too, if one is given. By brand, not by class: a plugin from npm may bundle its own copy of podsync.
 */
export const isStorageError = (error: unknown, code?: StorageErrorCode): error is StorageError =>
  typeof error === 'object' &&
  error !== null &&
  brand in error &&
  (code === undefined || ('code' in error && error.code === code));

/** Undefined instead of a `missing` error. */
export const unlessMissing = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isStorageError(error, 'missing')) return undefined;
    throw error;
  });
