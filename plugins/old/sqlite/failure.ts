import { isStorageError, StorageError, type StorageErrorCode } from '../../../src/old-plugin.ts';
import { noSuchAccount } from '../errors.ts';

/** What is said of a damaged file. */
export const DAMAGED = 'is damaged; restore it from a backup';

/** By the code of an error: SQLite's, or that of the file system. The first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^SQLITE_FULL/, 'full', 'has no room left to grow; free some space and try again'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy', 'is in use by another process; stop that one first'],
  [/^SQLITE_CORRUPT/, 'corrupt', DAMAGED],
  [/^SQLITE_NOTADB/, 'corrupt', 'is not an SQLite database; restore it from a backup, or give podsync another file'],
  [/^EISDIR/, 'unavailable', 'is a folder; give podsync a file in it'],
  [
    /^SQLITE_(?:IOERR|CANTOPEN|READONLY|PERM|AUTH|PROTOCOL|NOLFS)|^E(?!RR_)[A-Z]+$/,
    'unavailable',
    'could not be used; check its disk, its owner and its permissions',
  ],
];

/** What SQLite or the file system answered, in the words of the storage contract. Any other error is a fault of podsync. */
export function toStorageError(error: unknown, path: string): Error {
  const { code } = error as { code?: unknown };
  if (isStorageError(error) || typeof code !== 'string') return error as Error;
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return noSuchAccount();
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code));
  return meaning ? new StorageError(meaning[1], `${path} ${meaning[2]} (${code})`, { cause: error }) : (error as Error);
}

/** The same while a storage is opened: where a statement does not fit its tables, one of them is not as it was made. */
export function toOpeningError(error: unknown, path: string): Error {
  const { code, message } = error as { code?: unknown; message: string };
  return code === 'SQLITE_ERROR'
    ? new StorageError('corrupt', `${path} ${DAMAGED} (${message})`, { cause: error })
    : toStorageError(error, path);
}
