import type Sqlite from 'better-sqlite3';
import { StorageError } from '../../src/plugin.ts';

export type Driver = typeof Sqlite;

/** better-sqlite3, an optional dependency. Rejects with `unavailable` if it is not installed. */
export async function loadDriver(
  load: () => Promise<{ default: Driver }> = () => import('better-sqlite3'),
): Promise<Driver> {
  try {
    return (await load()).default;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw new StorageError(
      'unavailable',
      isMissing
        ? 'the SQLite storage needs the package better-sqlite3; install it next to podsync: npm install better-sqlite3@12.11.1'
        : `the package better-sqlite3 cannot be loaded (${(error as Error).message}); rebuild it: npm rebuild better-sqlite3`,
      { cause: error },
    );
  }
}
