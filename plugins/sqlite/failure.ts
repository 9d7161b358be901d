import { isStorageError, StorageError, type StorageErrorCode } from '../../src/plugin.ts';

const DAMAGED = 'is damaged; restore it from a backup';

/** By the code of an error: SQLite's, or that of the file system. The first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^SQLITE_FULL/, 'full', 'has no room left to grow; free some space and try again'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy', 'is in use by another process; stop that one first'],
  [/^SQLITE_CORRUPT/, 'corrupt', DAMAGED],
  [/^SQLITE_NOTADB/, 'corrupt', 'is not an SQLite database; restore it from a backup, or give podsync another file'],
  [/^EISDIR/, 'unavailable', 'is a folder; give podsync a file in it'],
  [/(?:)/, 'unavailable', 'could not be used; check its disk, its owner and its permissions'],
];

/** What SQLite or the file system reported, as a StorageError. */
export function toStorageError(error: unknown, path: string): StorageError {
  if (isStorageError(error)) return error;
  const { code = 'no code', message } = error as { code?: string; message: string };
  // A statement does not fit its table.
  if (code === 'SQLITE_ERROR') return damaged(path, message, error);
  const [, meaning, text] = MEANINGS.find(([pattern]) => pattern.test(code))!;
  return new StorageError(meaning, `${path} ${text} (${code})`, { cause: error });
}

export const damaged = (path: string, finding: string, cause?: unknown): StorageError =>
  new StorageError('corrupt', `${path} ${DAMAGED} (${finding})`, { cause });
