import type Sqlite from 'better-sqlite3';
import { StorageError } from '../../src/plugin.ts';

export type Driver = typeof Sqlite;

/** better-sqlite3, which only those who use it install. Rejects with `unavailable` when it is not there. */
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
        ? 'the SQLite storage needs the package better-sqlite3; install it beside podsync: npm install better-sqlite3@12.11.1'
        : `the package better-sqlite3 cannot be loaded (${(error as Error).message}); install it again: npm rebuild better-sqlite3`,
      { cause: error },
    );
  }
}
