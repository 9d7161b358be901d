import { setImmediate } from 'node:timers/promises';
import type { Batch, Entry, Key, KeyValueStore, Version } from '../../src/plugin.ts';
import { type ConnectionOptions, serversOf } from './client.ts';
import { shareCommits, toStatement } from './commits.ts';
import { Connection, loadDriver, toArray } from './connection.ts';
import { isSerializationFailure, toStorageError } from './failure.ts';
import { Pool } from './pool.ts';
import { createSchema } from './schema.ts';

const GET = 'SELECT key, value, version FROM entries WHERE key = ANY($1)';
const LIST = 'SELECT key, value, version FROM entries WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3';
const IS_READ_ONLY = "SELECT current_setting('transaction_read_only') = 'on' AS value";

/** Attempts for a transaction that is rolled back because of others. */
const ATTEMPTS = 5;

/**
 * Rejects with `unavailable` if the server cannot be reached or refuses the login, with `corrupt` for a foreign
 * database.
 */
export async function openStore(options: ConnectionOptions): Promise<KeyValueStore> {
  const driver = await loadDriver();
  const servers = serversOf(driver, options);
  const first = new Connection(driver, options, servers);
  try {
    await createSchema(first);
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await first.end();
  }
  const pool = new Pool((onLost) => new Connection(driver, options, servers, onLost));

  /** Runs one statement as a transaction. */
  const run = async <T>(text: string, parameters: readonly (string | number | null)[] = []): Promise<T[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await pool.use((connection) => connection.run<T>(text, parameters));
      } catch (error) {
        if (!isSerializationFailure(error) || attempt === ATTEMPTS) throw toStorageError(error);
      }
    }
  };
  const commit = async (batch: Batch): Promise<Version | undefined> => {
    const { text, parameters } = toStatement(batch);
    const [row] = await run<{ version: Version | null }>(text, parameters);
    return row!.version ?? undefined;
  };

  return {
    isShared: true,
    get: shareReads((keys) => run<Entry>(GET, [toArray(keys)])),
    list: ({ from, until, limit }) => run<Entry>(LIST, [from, until, limit]),
    commit: shareCommits(commit),
    async ping() {
      const [isReadOnly] = await run<{ value: boolean }>(IS_READ_ONLY);
      if (isReadOnly!.value) throw toStorageError({ code: '25006' });
    },
    verify: async () => void (await run('SELECT 1')), // PostgreSQL has its own tools, such as pg_amcheck
    close: () => pool.close(),
  };
}

/** Creates a `get` whose calls in the same turn of the event loop share a statement. */
function shareReads(read: (keys: readonly Key[]) => Promise<Entry[]>): KeyValueStore['get'] {
  let wanted = new Set<Key>();
  let reading: Promise<Map<Key, Entry>> | undefined;

  const readWanted = async (): Promise<Map<Key, Entry>> => {
    await setImmediate();
    const keys = [...wanted];
    wanted = new Set();
    reading = undefined;
    return new Map((await read(keys)).map((entry) => [entry.key, entry]));
  };
  return async (keys) => {
    for (const key of keys) wanted.add(key);
    const found = await (reading ??= readWanted());
    return keys.map((key) => found.get(key));
  };
}
