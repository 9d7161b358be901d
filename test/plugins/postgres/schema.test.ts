import postgresJs, { type Sql } from 'postgres';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadDriver, serversOf } from '../../../plugins/postgres/client.ts';
import postgres from '../../../plugins/postgres/index.ts';
import { SCHEMA_VERSION } from '../../../plugins/postgres/schema.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { createBareDatabase, type TestDatabase } from '../../postgres/database.ts';

const context = { dataDir: '', log: () => undefined };

let place: TestDatabase;
let admin: Sql;

const open = (url = place.url): Promise<KeyValueStore> => postgres.open(postgres.parse(url), context);

beforeEach(async () => {
  place = await createBareDatabase();
  admin = postgresJs(place.url, { max: 1, onnotice: () => undefined });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await admin.end();
  await place.destroy();
});

/** All columns and functions. */
const describeSchema = () => admin`
  SELECT table_name || '.' || column_name AS name, data_type AS is FROM information_schema.columns
  WHERE table_schema = 'public'
  UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY 1, 2`;
const countConnections = async (): Promise<number> =>
  (await admin`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`).length;

describe('the schema', () => {
  it('is created once, even by several nodes', async () => {
    const nodes = await Promise.all([open(), open(), open()]);
    const version = await nodes[0]!.commit({ set: [['a', '1']] });
    for (const node of nodes) expect(await node.get(['a'])).toEqual([{ key: 'a', value: '1', version }]);
    for (const node of nodes) await node.close();
    expect(await admin`SELECT version FROM podsync_schema`).toEqual([{ version: SCHEMA_VERSION }]);
  });

  it('is the one in the search_path of the location', async () => {
    await admin`CREATE SCHEMA podsync`;
    const store = await open(`${place.url}?search_path=podsync`);
    await store.commit({ set: [['a', '1']] });
    await store.close();
    expect(await admin`SELECT value FROM podsync.entries`).toEqual([{ value: '1' }]);
  });

  it('can be queried with views over the JSON', async () => {
    const store = await open();
    await store.commit({
      set: [
        ['u/1/head', '{"name":"bob"}'],
        ['p/x/count', '2'],
      ],
    });
    await store.close();
    const rows = await admin`SELECT key, value::jsonb ->> 'name' AS name, value FROM entries ORDER BY key`;
    expect(rows).toEqual([
      { key: 'p/x/count', name: null, value: '2' },
      { key: 'u/1/head', name: 'bob', value: '{"name":"bob"}' },
    ]);
  });
});

it('reads and commits use the index, even with a plan made for an empty table', async () => {
  const store = await open();
  for (let round = 0; round < 12; round += 1) {
    await Promise.all([
      store.get(['a']),
      store.list({ from: 'a', until: 'b', limit: 5 }),
      store.commit({ set: [['a', '1']] }),
    ]);
  }
  const large = Array.from({ length: 30_000 }, (_, n) => [`k/${String(n).padStart(6, '0')}`, '"x"'] as const);
  const version = await store.commit({ set: large });
  await admin`SELECT pg_stat_reset()`;
  for (let round = 0; round < 30; round += 1) {
    const key = `k/${String(round * 900).padStart(6, '0')}`;
    expect(await store.list({ from: key, until: 'l', limit: 3 })).toHaveLength(3);
    expect(await store.get([key])).toMatchObject([{ version }]);
    expect(
      await store.commit({
        check: [
          [key, version!],
          [`${key}/x`, 0],
        ],
        set: [
          [key, '"y"'],
          ['a', '2'],
        ],
      }),
    ).toBeGreaterThan(0);
  }
  await store.close();
  const [stats] = await admin`
    SELECT seq_scan, idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'entries'`;
  expect(stats!['seq_scan']).toBe('0');
  expect(Number(stats!['idx_tup_fetch'])).toBeLessThan(30 * 10);
});

describe('refuses, and does not change,', () => {
  const refused = async (code: string, words: string, url?: string): Promise<void> => {
    const before = await describeSchema();
    await expect(open(url)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    expect(await describeSchema()).toEqual(before);
    await expect.poll(countConnections).toBe(0);
  };

  it('a database of a newer podsync', async () => {
    await (await open()).close();
    await admin`UPDATE podsync_schema SET version = version + 1`;
    await refused('corrupt', `newer podsync (schema ${SCHEMA_VERSION + 1}, this one supports ${SCHEMA_VERSION})`);
    expect(await admin`SELECT version FROM podsync_schema`).toEqual([{ version: SCHEMA_VERSION + 1 }]);
  });

  it('a database of a podsync with other tables', async () => {
    await admin`CREATE TABLE podsync_schema AS SELECT 1 AS version`;
    await refused('corrupt', 'export it with that version (--format backup)');
  });

  it.each(['users', 'entries'])('the database of another program, which has a table %s', async (table) => {
    await admin`CREATE TABLE ${admin(table)} (name text)`;
    await refused('corrupt', 'belongs to another program; create a separate one for podsync');
  });

  it('a database that cannot store every character', async () => {
    const name = `${new URL(place.url).pathname.slice(1)}_ascii`;
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII'`);
    const { href } = Object.assign(new URL(place.url), { pathname: name });
    await refused('corrupt', "create one with ENCODING 'UTF8'", href);
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  it('a database without the permission to create tables', async () => {
    await admin.unsafe('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const name = `podsync_guest_${new URL(place.url).pathname.slice(-12)}`;
    await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
    const { href } = Object.assign(new URL(place.url), { username: name, password: 'guest' });
    await refused('unavailable', 'make it the owner of the database', href);
    await admin.unsafe(`DROP ROLE ${name}`);
  });
});

it.each(['DROP TABLE entries', 'DROP FUNCTION commit_entries', 'ALTER TABLE entries DROP COLUMN value'])(
  'after %s a commit says that the schema is damaged',
  async (damage) => {
    const store = await open();
    await admin.unsafe(damage);
    const words = 'lacks a table or function of podsync';
    await expect(store.commit({ set: [['a', '1']] })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(words),
    });
    await store.close();
  },
);

it('a failed check does not affect the commits that share its transaction', async () => {
  const store = await open();
  const versions = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      store.commit({ check: [[`k/${n}`, n % 7 === 3 ? 1 : 0]], set: [[`k/${n}`, String(n)]] }),
    ),
  );
  expect(versions.map((version) => version === undefined)).toEqual(versions.map((_, n) => n % 7 === 3));
  expect(await store.list({ from: 'k/', until: 'k0', limit: 100 })).toHaveLength(17);
  await store.close();
});

it('ping fails on a server that has become read-only', async () => {
  const store = await open();
  await admin.unsafe(`ALTER DATABASE ${new URL(place.url).pathname.slice(1)} SET default_transaction_read_only = on`);
  await admin`
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const readOnly = { code: 'unavailable', message: expect.stringContaining('is read-only') };
  await store.ping().catch(() => undefined); // may use a closed connection
  await expect(store.ping()).rejects.toMatchObject(readOnly);
  await expect(store.commit({ set: [['a', '1']] })).rejects.toMatchObject(readOnly);
  expect(await store.get(['a'])).toEqual([undefined]);
  await store.close();
});

it.each(['any', 'standby', 'primary'])(
  'a store opens if PGTARGETSESSIONATTRS is %s for other programs',
  async (target) => {
    vi.stubEnv('PGTARGETSESSIONATTRS', target);
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    await store.close();
    expect(process.env['PGTARGETSESSIONATTRS']).toBe(target);
  },
);

describe('a location', () => {
  it.each(['postgres://host', 'postgresql://bob:p%23w@[::1]:5432/db?sslmode=require', 'postgres://one:1,two:2/db'])(
    'may be %s',
    (location) => {
      expect(postgres.parse(location)).toEqual({ url: location });
    },
  );

  it.each([
    ['one,two/db?target_session_attrs=read-write', 'one,two/db?'],
    ['one:1,two:2/db?target_session_attrs=primary&sslmode=require', 'one:1,two:2/db?sslmode=require'],
    ['one,two/db?sslmode=require&target_session_attrs=read-write', 'one,two/db?sslmode=require&'],
  ])('may have the parameter for several hosts: %s', (given, used) => {
    expect(postgres.parse(`postgres://${given}`)).toEqual({ url: `postgres://${used}` });
  });

  it('may not ask for a replica', () => {
    const parse = () => postgres.parse('postgres://one,two/db?target_session_attrs=prefer-standby');
    expect(parse).toThrow('target_session_attrs must be read-write');
  });

  it('may name hosts by IPv6 addresses, with ports', async () => {
    const servers = serversOf(await loadDriver(), { url: 'postgres://bob:p@[::1],[fe80::2]:5433,host:5434/db' });
    expect(servers).toEqual([
      { host: ['::1'], port: [5432] },
      { host: ['fe80::2'], port: [5433] },
      { host: ['host'], port: [5434] },
    ]);
  });

  it('may name hosts without a port, which have the default of PostgreSQL', async () => {
    const portsOf = async (url: string) =>
      serversOf(await loadDriver(), { url }).map((server) => 'port' in server && server.port[0]);
    vi.stubEnv('PGPORT', undefined);
    expect(await portsOf('postgres://bob:p@one:5433,two,[::1]/db')).toEqual([5433, 5432, 5432]);
    vi.stubEnv('PGPORT', '6543');
    expect(await portsOf('postgres://one:5433,two,[::1]/db')).toEqual([5433, 6543, 6543]);
    expect(await portsOf('postgres://one/db')).toEqual([6543]);
  });

  it('may be empty to use the variables of PostgreSQL', () => {
    expect(postgres.parse('')).toEqual({ url: undefined });
  });

  it.each([
    'host/db',
    'mysql://bob:hunter2@host/db',
    'postgres://bob:hunter2#@host:x/db',
    'postgres://bob:hunter2%@host',
    'postgres://bob:hunter2@one:1,two:x/db',
    'postgres://bob:hunter2@one,,two/db',
  ])('may not be %s, and the password is not repeated', (location) => {
    let message = '';
    try {
      postgres.parse(location);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain('postgres://USER@HOST:5432/DATABASE');
    expect(message).not.toContain('hunter2');
  });

  it('refused for a / in the password, says how to write it', () => {
    expect(() => postgres.parse('postgres://bob:hunter/2@host/db')).toThrow('/ as %2F');
  });
});
