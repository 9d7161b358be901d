import { type Batch, type Entry, type KeyValueStore, StorageError, type Version } from '../../src/plugin.ts';
import { toStatement } from './batch.ts';
import { Connection, type ConnectionOptions, toArray } from './connection.ts';
import { loadDriver } from './driver.ts';
import { isSerializationFailure, toStorageError } from './failure.ts';
import { Pool } from './pool.ts';
import { createReader } from './reader.ts';
import { createSchema } from './schema.ts';
import { createWriter } from './writer.ts';

const GET = 'SELECT key, value, version FROM entries WHERE key = ANY($1)';
const LIST = 'SELECT key, value, version FROM entries WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3';
/** True for replicas, too. */
const IS_READ_ONLY = "SELECT current_setting('transaction_read_only') = 'on' AS value";

/** Attempts for a transaction that is rolled back because of others. */
const ATTEMPTS = 5;

/**
 * Rejects with `unavailable` if the server cannot be reached or refuses the login, with `corrupt` for a foreign
 * database.
 */
export async function openStore(options: ConnectionOptions): Promise<KeyValueStore> {
  const driver = await loadDriver();
  const first = new Connection(driver, options);
  try {
    await createSchema(first);
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await first.end();
  }
  const pool = new Pool((onLost) => new Connection(driver, options, onLost));

  /** Runs one statement as a transaction. */
  const run = async <T>(text: string, parameters: readonly (string | number | null)[] = []): Promise<T[]> => {
    try {
      return await pool.use((connection) => connection.run<T>(text, parameters));
    } catch (error) {
      throw toStorageError(error);
    }
  };
  const commit = async (batch: Batch): Promise<Version | undefined> => {
    const { text, parameters } = toStatement(batch);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await pool.use((connection) => connection.run<{ version: Version | null }>(text, parameters));
        return row!.version ?? undefined;
      } catch (error) {
        if (!isSerializationFailure(error) || attempt === ATTEMPTS) throw toStorageError(error);
      }
    }
  };

  /** Running calls. */
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const unlessClosed = <Args extends unknown[], Output>(step: (...args: Args) => Promise<Output>) => {
    return (...args: Args): Promise<Output> => {
      if (closing) return Promise.reject(new StorageError('unavailable', 'the PostgreSQL storage is closed'));
      const promise = step(...args);
      running.add(promise);
      const forget = (): void => void running.delete(promise);
      promise.then(forget, forget);
      return promise;
    };
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(running);
    await pool.close();
  };

  return {
    isShared: true,
    get: unlessClosed(createReader((keys) => run<Entry>(GET, [toArray(keys)]))),
    list: unlessClosed(({ from, until, limit }) => run<Entry>(LIST, [from, until, limit])),
    commit: unlessClosed(createWriter(commit)),
    ping: unlessClosed(async () => {
      const [isReadOnly] = await run<{ value: boolean }>(IS_READ_ONLY);
      if (isReadOnly!.value) throw toStorageError({ code: '25006' });
    }),
    verify: unlessClosed(async () => void (await run('SELECT 1'))), // PostgreSQL has its own tools, such as pg_amcheck
    close: () => (closing ??= close()),
  };
}
