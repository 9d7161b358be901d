import { setImmediate } from 'node:timers/promises';
import { type Batch, definePlugin, type Entry, type Key, type KeyValueStore, type Version } from '../../src/plugin.ts';
import { connectToPrimary, type ConnectionOptions, loadDriver, serversOf, URL_PARTS } from './client.ts';
import { shareCommits, toArray, toStatement } from './commits.ts';
import { toStorageError } from './failure.ts';
import { createPool } from './pool.ts';
import { createSchema } from './schema.ts';

/**
 * A PostgreSQL database, for one or several nodes: `postgres://user:password@host:5432/database`; `postgres` alone uses
 * the variables `PGHOST`, `PGDATABASE` and so on.
 */
export default definePlugin<ConnectionOptions>({
  name: 'postgres',
  contract: 1,
  parse: (location) => ({ url: location === '' ? undefined : checkUrl(location) }),
  open: (options) => openStore(options),
});

const GET = 'SELECT key, value, version FROM entries WHERE key = ANY($1)';
const LIST = 'SELECT key, value, version FROM entries WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3';
const IS_READ_ONLY = "SELECT current_setting('transaction_read_only') = 'on' AS value";

/** A transaction that is rolled back because of others, for example in a deadlock, is tried again. */
const ATTEMPTS = 5;

/**
 * Rejects with `unavailable` if the server cannot be reached or refuses the login, with `corrupt` for a foreign
 * database.
 */
export async function openStore(options: ConnectionOptions): Promise<KeyValueStore> {
  const driver = await loadDriver();
  const servers = serversOf(driver, options);
  try {
    const first = await connectToPrimary(driver, options, servers);
    await createSchema(first).finally(() => first.end());
  } catch (error) {
    throw toStorageError(error);
  }
  const pool = createPool(() => connectToPrimary(driver, options, servers));

  /** Runs one statement as a transaction. */
  const run = async <T>(text: string, parameters: readonly (string | number | null)[] = []): Promise<T[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await pool.use((client) => client.run<T>(text, parameters));
      } catch (error) {
        const failure = toStorageError(error);
        if (failure.code !== 'busy' || attempt === ATTEMPTS) throw failure;
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

/** A parameter of PostgreSQL for several hosts. */
const TARGET = /([?&])target_session_attrs=([^&]*)(?:&|$)/;

/** Throws an Error with what is wrong, without any part of the URL, as it may contain a password. */
function checkUrl(location: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(location)) {
    throw new Error('it must begin with postgres://, as in postgres://USER@HOST:5432/DATABASE');
  }
  try {
    // Several hosts are separated by commas, which only postgres.js accepts in a URL.
    const [, start, hosts, rest] = URL_PARTS.exec(location)!;
    for (const host of hosts!.split(',')) {
      const { username, password, pathname } = new URL(`${start}${host}${rest}`);
      for (const part of [username, password, pathname]) decodeURIComponent(part);
    }
  } catch {
    throw new Error(
      'it is not a URL such as postgres://USER@HOST:5432/DATABASE; percent-encode special characters in the ' +
        'password: # as %23, % as %25, / as %2F, @ as %40',
    );
  }
  const target = TARGET.exec(location)?.[2];
  if (target !== undefined && target !== 'read-write' && target !== 'primary') {
    throw new Error('target_session_attrs must be read-write, as podsync uses only a primary');
  }
  return location.replace(TARGET, '$1'); // postgres.js takes replicas for primaries
}
