import { isStorageError, StorageError, type StorageErrorCode } from '../../src/plugin.ts';

const DAMAGED = 'is damaged; restore it from a backup';

/** By error code of SQLite or of the file system. The first match is used. */
const MEANINGS: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^SQLITE_FULL/, 'full', 'cannot grow, the disk is full; free some space and try again'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy', 'is in use by another process; stop that process first'],
  [/^SQLITE_CORRUPT/, 'corrupt', DAMAGED],
  [/^SQLITE_NOTADB/, 'corrupt', 'is not an SQLite database; restore it from a backup, or choose another file'],
  [/^EISDIR/, 'unavailable', 'is a folder; choose a file in it'],
  [/(?:)/, 'unavailable', 'cannot be accessed; check its disk, owner and permissions'],
];

/** Converts an error of SQLite or the file system to a StorageError. */
export function toStorageError(error: unknown, path: string): StorageError {
  if (isStorageError(error)) return error;
  const { code = 'no code', message } = error as { code?: string; message: string };
  // A statement does not match its table.
  if (code === 'SQLITE_ERROR') return damaged(path, message, error);
  const [, meaning, text] = MEANINGS.find(([pattern]) => pattern.test(code))!;
  return new StorageError(meaning, `${path} ${text} (${code})`, { cause: error });
}

export const damaged = (path: string, finding: string, cause?: unknown): StorageError =>
  new StorageError('corrupt', `${path} ${DAMAGED} (${finding})`, { cause });
