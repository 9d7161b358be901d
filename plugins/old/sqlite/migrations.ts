import type { Database as Connection } from 'better-sqlite3';
import { StorageError } from '../../../src/old-plugin.ts';
import { SCHEMA } from './schema.ts';

/** What leads from one version of the schema to the next: the first one makes version 1 of an empty file. */
const MIGRATIONS: readonly string[] = [SCHEMA];

/** Tells a file of podsync from any other SQLite file: `pods` in ASCII. */
const APPLICATION_ID = 0x706f6473;

/**
 * Brings the schema to the newest version, in one step. Throws a StorageError for a file of a newer podsync, and for a
 * database that is not podsync's; neither is touched.
 */
export function migrate(connection: Connection, path: string): void {
  const run = connection.transaction(() => {
    const version = pragma(connection, 'user_version');
    const isEmpty = version === 0 && connection.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (!isEmpty && pragma(connection, 'application_id') !== APPLICATION_ID) {
      throw new StorageError('corrupt', `${path} is a database of another program; give podsync a file of its own`);
    }
    if (version > MIGRATIONS.length) {
      throw new StorageError(
        'corrupt',
        `${path} was written by a newer podsync (schema ${version}, this one knows ${MIGRATIONS.length}); update podsync`,
      );
    }
    if (version === MIGRATIONS.length) return;
    for (const migration of MIGRATIONS.slice(version)) connection.exec(migration);
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.pragma(`user_version = ${MIGRATIONS.length}`);
  });
  run.immediate();
}

const pragma = (connection: Connection, name: string): number => connection.pragma(name, { simple: true }) as number;
