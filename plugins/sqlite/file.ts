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
  'busy_timeout = 5000', // other programs, such as `sqlite3`, may lock the file for a moment
  'journal_mode = WAL',
  'synchronous = FULL',
  'fullfsync = ON', // on macOS, the disk would keep commits in its cache
  'cache_size = -16000',
  'secure_delete = ON', // or a copy of the file would contain what was removed, such as accounts
  'temp_store = MEMORY',
  'wal_autocheckpoint = 4000',
];

/** One connection writes; another one reads beside it, without waiting for commits. */
export type Access = 'read' | 'write';

/**
 * Opens a file and uses it, until `close` is called. Rejects with `busy` if another process has locked it, with `corrupt`
 * if it cannot be read.
 */
export async function openFile<T>(
  path: string,
  access: Access,
  use: (connection: Connection, close: () => void) => T,
): Promise<T> {
  const openConnection = await loadDriver();
  const connections: Connection[] = [];
  const close = (): void => connections.toReversed().forEach((each) => each.close());
  const connect = (file: string): Connection => {
    connections.push(openConnection(file));
    return connections.at(-1)!;
  };
  try {
    await createFolder(dirname(path));
    // Synchronous, as closing a file ends all locks of this process on it, even those of a store that has just opened it.
    const lock = `${path}-lock`;
    for (const file of [lock, path]) {
      const exists = statSync(file, { throwIfNoEntry: false })?.isFile();
      if (!exists) closeSync(openSync(file, 'a', FILE_MODE)); // for its mode, which SQLite gives its other files, too
    }
    // A database of its own, because SQLite's exclusive mode would keep the other connection out, too.
    if (access === 'write') connect(lock).exec('BEGIN EXCLUSIVE');
    const connection = connect(path);
    for (const setting of SETTINGS) connection.exec(`PRAGMA ${setting}`);
    if (access === 'write') createSchema(connection, path);
    return use(connection, close);
  } catch (error) {
    close();
    throw toStorageError(error, path);
  }
}

/** Throws a StorageError, and changes nothing, if the file belongs to another program or another version of podsync. */
function createSchema(connection: Connection, path: string): void {
  connection.exec('BEGIN IMMEDIATE');
  const version = pragma<number>(connection, 'user_version');
  if (version === 0 && connection.prepare<[]>('SELECT 1 FROM sqlite_schema').get() === undefined) {
    connection.exec(SCHEMA);
  } else if (pragma(connection, 'application_id') !== APPLICATION_ID) {
    throw new StorageError('corrupt', `${path} is a database of another program; choose a separate file for podsync`);
  } else if (version !== SCHEMA_VERSION) {
    throw otherSchema(path, version, SCHEMA_VERSION);
  }
  connection.exec('COMMIT');
}
