import { type ErrorMeanings, explainError, StorageError } from '../../src/plugin.ts';

const DAMAGED = 'is damaged; restore it from a backup';

/** Names of SQLite's primary result codes. better-sqlite3 reports names, `node:sqlite` numbers. */
const NAMES: Record<number, string> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  26: 'SQLITE_NOTADB',
};

/** By error code of SQLite or of the file system. The first match is used. */
const MEANINGS: ErrorMeanings = [
  [/^SQLITE_FULL/, 'full', 'cannot grow, the disk is full; free some space and try again'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy', 'is in use by another process; stop that process first'],
  [/^SQLITE_CORRUPT/, 'corrupt', DAMAGED],
  [/^SQLITE_NOTADB/, 'corrupt', 'is not an SQLite database; restore it from a backup, or choose another file'],
  [/^EISDIR/, 'unavailable', 'is a folder; choose a file in it'],
  [/(?:)/, 'unavailable', 'cannot be accessed; check its disk, owner and permissions'],
];

/** `node:sqlite` reports the extended result code, and what SQLite calls it. */
const codeOf = ({ code = 'no code', errcode, errstr }: { code?: string; errcode?: number; errstr?: string }): string =>
  errcode === undefined ? code : (NAMES[errcode & 0xff] ?? `SQLite error ${errcode}, ${errstr}`);

/** Converts an error of SQLite or the file system to a StorageError. */
export function toStorageError(error: unknown, path: string): StorageError {
  const code = codeOf(error as object);
  // A statement does not match its table.
  return code === 'SQLITE_ERROR'
    ? damaged(path, (error as Error).message, error)
    : explainError(error, path, code, MEANINGS);
}

export const damaged = (path: string, finding: string, cause?: unknown): StorageError =>
  new StorageError('corrupt', `${path} ${DAMAGED} (${finding})`, { cause });
