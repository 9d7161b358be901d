import { isStorageError, StorageError, type StorageErrorCode } from '../../src/plugin.ts';

/** By what the code of an error begins with, most telling first. */
const MEANINGS: readonly (readonly [string, StorageErrorCode, string])[] = [
  ['SQLITE_FULL', 'full', 'has no room left to grow; free some space and try again'],
  ['SQLITE_BUSY', 'busy', 'is in use by another process; stop that one first'],
  ['SQLITE_LOCKED', 'busy', 'is in use by another process; stop that one first'],
  ['SQLITE_CORRUPT', 'corrupt', 'is damaged; restore it from a backup'],
  ['SQLITE_NOTADB', 'corrupt', 'is not an SQLite database; restore it from a backup, or give podsync another file'],
  ['EISDIR', 'unavailable', 'is a folder; give podsync a file in it'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'missing', 'has no such account (any more)'],
];

/** What SQLite or the file system answered, in the words of the storage contract. Any other error is a fault of podsync. */
export function toStorageError(error: unknown, path: string): Error {
  const { code } = error as { code?: unknown };
  if (isStorageError(error) || typeof code !== 'string') return error as Error;
  const [, meaning, words] = MEANINGS.find(([prefix]) => code.startsWith(prefix)) ?? [
    '',
    'unavailable' as const,
    `could not be used (${code}); check its disk, its owner and its permissions`,
  ];
  return new StorageError(meaning, `${path} ${words}`, { cause: error });
}
