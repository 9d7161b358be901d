/**
 * Why a storage could not do what it was asked:
 * `conflict` the name is taken; `missing` there is no such thing; `busy` another process holds it; `corrupt` what is
 * stored cannot be read; `unavailable` the backend is away for now; `full` there is no room left.
 */
export type StorageErrorCode = 'conflict' | 'missing' | 'busy' | 'corrupt' | 'unavailable' | 'full';

const brand = Symbol.for('podsync.StorageError');

/** What a storage rejects with, in place of whatever its backend throws. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  /**
   * `message` names the place and what to do; it never holds a password or a connection string. That of `conflict` and
   * `missing` is told to clients: no paths there.
   */
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** With this code, if one is given. By brand, not by class: a plugin from npm may carry a copy of podsync of its own. */
export const isStorageError = (error: unknown, code?: StorageErrorCode): error is StorageError =>
  typeof error === 'object' &&
  error !== null &&
  brand in error &&
  (code === undefined || ('code' in error && error.code === code));
