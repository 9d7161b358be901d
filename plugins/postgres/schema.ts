import { otherSchema, StorageError } from '../../src/plugin.ts';
import type { Client } from './client.ts';

export const SCHEMA_VERSION = 3;

/** Advisory lock for creating the schema: `pods` in ASCII. */
const LOCK = 0x706f6473;

/**
 * `commit_entries` commits one batch; it returns the new version, or NULL if a check failed. It locks the keys of the
 * batch in their order, even those that do not exist: so batches cannot deadlock, and checks hold until the commit.
 * `expected` is the version that a key must have, NULL for any. The new value is '' for a key to delete, which is not JSON,
 * and NULL for one that is only checked.
 */
const SCHEMA = `
  CREATE TABLE entries (
    key text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    version bigint NOT NULL
  ) WITH (fillfactor = 90);
  CREATE SEQUENCE entry_versions;

  CREATE FUNCTION commit_entries(keys text[], expected bigint[], new_values text[])
  RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    new_version bigint := nextval('entry_versions');
  BEGIN
    FOR i IN 1 .. cardinality(keys) LOOP
      IF expected[i] = 0 THEN
        INSERT INTO entries VALUES (keys[i], coalesce(new_values[i], ''), new_version) ON CONFLICT DO NOTHING;
      ELSIF new_values[i] IS NULL THEN
        PERFORM FROM entries WHERE key = keys[i] AND version = expected[i] FOR SHARE;
      ELSIF new_values[i] = '' THEN
        DELETE FROM entries WHERE key = keys[i] AND version = coalesce(expected[i], version);
        IF NOT FOUND AND expected[i] IS NULL THEN
          INSERT INTO entries VALUES (keys[i], '', new_version) ON CONFLICT DO NOTHING; -- as a lock
          DELETE FROM entries WHERE key = keys[i];
        END IF;
      ELSIF expected[i] IS NULL THEN
        INSERT INTO entries VALUES (keys[i], new_values[i], new_version)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version;
      ELSE
        UPDATE entries SET value = new_values[i], version = new_version
        WHERE key = keys[i] AND version = expected[i];
      END IF;
      IF NOT FOUND AND expected[i] IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'PS001'; END IF;
      IF expected[i] = 0 AND coalesce(new_values[i], '') = '' THEN
        DELETE FROM entries WHERE key = keys[i]; -- was inserted as a lock
      END IF;
    END LOOP;
    RETURN new_version;
  EXCEPTION WHEN SQLSTATE 'PS001' THEN
    RETURN NULL; -- everything above is rolled back
  END $$;

  CREATE TABLE podsync_schema (version integer NOT NULL);
  INSERT INTO podsync_schema VALUES (${SCHEMA_VERSION});
`;

/**
 * Creates the tables in an empty database. Rejects with a StorageError if the database belongs to another version of
 * podsync or to another program; it is not changed then.
 */
export async function createSchema(client: Client): Promise<void> {
  await client.runScript(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);
  const [found] = await client.run<{ encoding: string; ours: boolean; theirs: boolean }>(`
    SELECT current_setting('server_encoding') AS encoding, to_regclass('podsync_schema') IS NOT NULL AS ours,
      coalesce(to_regclass('entries'), to_regclass('users')) IS NOT NULL AS theirs`);
  const { encoding, ours, theirs } = found!;
  if (encoding !== 'UTF8') {
    throw new StorageError('corrupt', `the database has the encoding ${encoding}; create one with ENCODING 'UTF8'`);
  }
  if (ours) {
    const [row] = await client.run<{ version: number }>('SELECT version FROM podsync_schema');
    if (row!.version !== SCHEMA_VERSION) throw otherSchema('the database', row!.version, SCHEMA_VERSION);
  } else if (theirs) {
    throw new StorageError('corrupt', 'the database belongs to another program; create a separate one for podsync');
  } else {
    await client.runScript(SCHEMA);
  }
  await client.runScript('COMMIT');
}
