import { StorageError } from '../../../src/old-plugin.ts';
import type { Connection } from './connection.ts';
import { SCHEMA } from './schema.ts';

/** What leads from one version of the schema to the next: the first one makes version 1 of an empty database. */
export const MIGRATIONS: readonly string[] = [SCHEMA];

/** One node at a time: `pods` in ASCII. */
const LOCK = 0x706f6473;

/**
 * Brings the schema to the newest version, inside a transaction. Throws a StorageError for a database of a newer podsync,
 * and for one that is not podsync's; neither is touched.
 */
export async function migrate(connection: Connection): Promise<void> {
  await connection.run(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const { encoding } = await ask<{ encoding: string }>(
    connection,
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (encoding !== 'UTF8') {
    throw new StorageError('corrupt', `the database has the encoding ${encoding}; create one with ENCODING 'UTF8'`);
  }
  const version = await readVersion(connection);
  if (version > MIGRATIONS.length) {
    throw new StorageError(
      'corrupt',
      `the database was written by a newer podsync (schema ${version}, this one knows ${MIGRATIONS.length}); update podsync`,
    );
  }
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) await connection.runScript(migration);
  await connection.runScript(`UPDATE podsync_schema SET version = ${MIGRATIONS.length}`);
}

/** 0 for an empty database. */
async function readVersion(connection: Connection): Promise<number> {
  const { ours, theirs } = await ask<{ ours: boolean; theirs: boolean }>(
    connection,
    "SELECT to_regclass('podsync_schema') IS NOT NULL AS ours, to_regclass('users') IS NOT NULL AS theirs",
  );
  if (ours) return (await ask<{ version: number }>(connection, 'SELECT version FROM podsync_schema')).version;
  if (theirs) {
    throw new StorageError('corrupt', 'the database belongs to another program; give podsync a database of its own');
  }
  await connection.runScript('CREATE TABLE podsync_schema (version integer NOT NULL)');
  await connection.runScript('INSERT INTO podsync_schema VALUES (0)');
  return 0;
}

const ask = async <Row>(connection: Connection, text: string): Promise<Row> =>
  (await connection.run(text)).rows[0] as Row;
