import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFolder, FILE_MODE, otherSchema, StorageError } from '../../src/plugin.ts';
import { type Connection, loadDriver, pragma } from './driver.ts';
import { toStorageError } from './failure.ts';

/** Identifies SQLite files of podsync: `pods` in ASCII. */
const APPLICATION_ID = 0x706f6473;
const SCHEMA_VERSION = 2;

/** `sequence` has one row: versions up to it are never used again. */
const SCHEMA = `
  CREATE TABLE entries (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
  CREATE TABLE sequence (version INTEGER NOT NULL) STRICT;
  INSERT INTO sequence VALUES (0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const SETTINGS = [
  'locking_mode = EXCLUSIVE',
  'journal_mode = WAL',
  'synchronous = FULL',
  'fullfsync = ON', // on macOS, the disk would keep commits in its cache
  'cache_size = -16000',
  'secure_delete = ON', // or a copy of the file would contain what was removed, such as accounts
  'temp_store = MEMORY',
  'wal_autocheckpoint = 4000',
];

/** Opens a file and uses it. Rejects with `busy` if another process has locked it, with `corrupt` if it cannot be read. */
export async function openFile<T>(path: string, use: (connection: Connection) => T): Promise<T> {
  const openConnection = await loadDriver();
  let connection: Connection | undefined;
  try {
    await createFolder(dirname(path));
    // Synchronous, as closing a file ends all locks of this process on it, even those of a store that has just opened it.
    const exists = statSync(path, { throwIfNoEntry: false })?.isFile();
    if (!exists) closeSync(openSync(path, 'a', FILE_MODE)); // for its mode, which SQLite gives its other files, too
    connection = openConnection(path);
    for (const setting of SETTINGS) connection.exec(`PRAGMA ${setting}`);
    connection.exec('BEGIN IMMEDIATE');
    createSchema(connection, path);
    connection.exec('COMMIT');
    return use(connection);
  } catch (error) {
    connection?.close();
    throw toStorageError(error, path);
  }
}

/** Throws a StorageError, and changes nothing, if the file belongs to another program or another version of podsync. */
function createSchema(connection: Connection, path: string): void {
  const version = pragma<number>(connection, 'user_version');
  if (version === 0 && connection.prepare<[]>('SELECT 1 FROM sqlite_schema').get() === undefined) {
    connection.exec(SCHEMA);
  } else if (pragma(connection, 'application_id') !== APPLICATION_ID) {
    throw new StorageError('corrupt', `${path} is a database of another program; choose a separate file for podsync`);
  } else if (version !== SCHEMA_VERSION) {
    throw otherSchema(path, version, SCHEMA_VERSION);
  }
}
