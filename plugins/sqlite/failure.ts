import { type ErrorMeanings, explainError, StorageError } from '../../src/plugin.ts';

/** SQLite reports data that the disk fails to read (EIO) as damaged. */
const DAMAGED = 'is damaged, or its disk is failing; check the disk, then restore the file from a backup';

/**
 * By code of SQLite or of the file system: better-sqlite3 reports names, `node:sqlite` numbers and the messages of SQLite.
 * The first match is used.
 */
const MEANINGS: ErrorMeanings = [
  [/^SQLITE_FULL|is full$/, 'full', 'cannot grow because the disk is full; free some space and try again'],
  [/^SQLITE_(?:BUSY|LOCKED)|is locked$/, 'busy', 'is in use by another process; stop that process first'],
  [/^SQLITE_CORRUPT|is malformed$/, 'corrupt', DAMAGED],
  [/^SQLITE_NOTADB|is not a database$/, 'corrupt', 'is not an SQLite database; restore a backup, or use another file'],
  [/^EISDIR/, 'unavailable', 'is a folder; choose a file in it'],
  [/(?:)/, 'unavailable', 'cannot be accessed; check its disk, owner and permissions'],
];

/** Converts an error of SQLite or the file system to a StorageError. */
export function toStorageError(error: unknown, path: string): StorageError {
  const { code: name = 'no code', errcode, errstr, message } = error as Error & Record<string, string | undefined>;
  const code = errcode === undefined ? name : `SQLite error ${errcode}, ${errstr}`;
  // A statement does not match its table.
  if (/^SQLITE_ERROR|SQL logic error$/.test(code)) return damaged(path, message, error);
  return explainError(error, path, code, MEANINGS);
}

export const damaged = (path: string, finding: string, cause?: unknown): StorageError =>
  new StorageError('corrupt', `${path} ${DAMAGED} (${finding})`, { cause });
