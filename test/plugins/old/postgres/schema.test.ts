import { randomBytes } from 'node:crypto';
import postgresJs, { type Sql } from 'postgres';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLOCK, Database, toNumbered } from '../../../../plugins/old/postgres/database.ts';
import { PAGE } from '../../../../plugins/old/postgres/history.ts';
import postgres from '../../../../plugins/old/postgres/index.ts';
import { MIGRATIONS } from '../../../../plugins/old/postgres/migrations.ts';
import { SUBSCRIPTIONS_SINCE } from '../../../../plugins/old/sql/subscriptions.ts';
import type { Storage } from '../../../../src/old-plugin.ts';
import { recordFeed } from '../../../readings.ts';
import { createBareDatabase, type TestDatabase } from '../../../postgres/database.ts';

const context = { dataDir: '', now: () => 1, overlap: 120, log: () => undefined };

let place: TestDatabase;
let admin: Sql;

const open = (): Promise<Storage> => postgres.open(postgres.parse(place.url), context);

beforeEach(async () => {
  place = await createBareDatabase();
  admin = postgresJs(place.url, { max: 1, onnotice: () => undefined });
});
afterEach(async () => {
  await admin.end();
  await place.destroy();
});

/** Every table with its columns, every index and every function. */
const describeSchema = () => admin`
  SELECT 'column' AS kind, table_name || '.' || column_name AS name, data_type || ' ' || is_nullable AS is
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY 1, 2, 3`;

describe('the schema', () => {
  it.each(MIGRATIONS.map((_, version) => version))('comes from version %i to the newest', async (version) => {
    await (await open()).close();
    const wanted = await describeSchema();
    await admin.unsafe('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    if (version > 0) {
      for (const migration of MIGRATIONS.slice(0, version)) await admin.unsafe(migration);
      await admin.unsafe(`CREATE TABLE podsync_schema (version integer NOT NULL)`);
      await admin.unsafe(`INSERT INTO podsync_schema VALUES (${version})`);
    }
    const storage = await open();
    await storage.users.create({ name: 'bob', passwordHash: 'x' });
    await storage.close();
    expect(await describeSchema()).toEqual(wanted);
    expect(await admin`SELECT version FROM podsync_schema`).toEqual([{ version: MIGRATIONS.length }]);
  });

  it('is made once, by whichever of several nodes', async () => {
    const nodes = await Promise.all([open(), open(), open()]);
    const { id } = await nodes[0]!.users.create({ name: 'bob', passwordHash: 'x' });
    for (const node of nodes) expect((await node.users.find('bob'))?.id).toBe(id);
    for (const node of nodes) await node.close();
  });

  it('keeps no connection where it cannot be used', async () => {
    await (await open()).close();
    await admin`DROP TABLE arriving_users`;
    const close = vi.spyOn(Database.prototype, 'close');
    await expect(open()).rejects.toThrow('arriving_users');
    expect(close).toHaveBeenCalledOnce();
    close.mockRestore();
  });

  it('has the user first in every key of a table of users, and no key across them but the logins', async () => {
    await (await open()).close();
    const keys = await admin`
      SELECT relname AS table, (SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0]) AS first
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
      WHERE indisunique AND EXISTS (
        SELECT 1 FROM pg_attribute WHERE attrelid = indrelid AND attname = 'user_id'
      )`;
    expect(keys.length).toBeGreaterThan(8);
    expect(keys.filter(({ first }) => first !== 'user_id').map(({ table }) => table)).toEqual(['logins']);
    const references = await admin`
      SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
      WHERE contype = 'f' AND EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = conrelid AND attname = 'user_id')`;
    expect(new Set(references.map(({ to }) => to))).toEqual(new Set(['users']));
  });
});

it('holds URLs that are longer than what an index takes', async () => {
  const longUrl = (): string => `https://podcasts.example/${randomBytes(6000).toString('base64url')}`;
  const [feed, other, episode] = [longUrl(), longUrl(), longUrl()];
  const storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', [feed, other]);
  await storage.actions.append(id, [{ podcast: feed, episode, action: 'new', timestamp: 1 }]);
  const scope = { kind: 'episode', podcast: feed, episode } as const;
  await storage.settings.update(id, scope, { set: { is_favorite: true }, remove: [], limit: 10 });
  await recordFeed(storage, feed, { title: 'Long' }, [{ url: episode, guid: episode }]);

  expect(await storage.subscriptions.current(id)).toEqual([feed, other]);
  expect(await storage.settings.get(id, scope)).toEqual({ is_favorite: true });
  expect((await storage.podcasts.findEpisodes(feed, [episode]))[0]?.guid).toBe(episode);
  expect((await storage.podcasts.top(10)).map(({ url }) => url)).toEqual([feed, other].toSorted());
  const known: string[] = [];
  for await (const { url } of storage.podcasts.feeds()) known.push(url);
  expect(known).toEqual([feed, other].toSorted());
  await storage.close();
});

it('every statement is one that PostgreSQL takes, by its own clock too', async () => {
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  await (await open()).close();
  const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
  prepare.mockRestore();
  expect(statements.size).toBeGreaterThan(100);
  for (const sql of statements) {
    if (sql.trimStart().startsWith('TRUNCATE')) continue; // is never prepared
    await admin.unsafe(`DEALLOCATE ALL; PREPARE asked AS ${toNumbered(sql.replaceAll('@now', CLOCK)).text}`);
  }
});

describe('refuses, and leaves as it is,', () => {
  const refused = async (code: string, words: string): Promise<void> => {
    const before = await describeSchema();
    await expect(open()).rejects.toThrow(expect.objectContaining({ code, message: expect.stringContaining(words) }));
    expect(await describeSchema()).toEqual(before);
  };

  it('a database of a newer podsync', async () => {
    await (await open()).close();
    const newer = MIGRATIONS.length + 1;
    await admin`UPDATE podsync_schema SET version = ${newer}`;
    await refused('corrupt', `written by a newer podsync (schema ${newer}, this one knows ${MIGRATIONS.length})`);
    expect(await admin`SELECT version FROM podsync_schema`).toEqual([{ version: newer }]);
  });

  it('the database of another program', async () => {
    await admin`CREATE TABLE users (name text)`;
    await refused('corrupt', 'belongs to another program; give podsync a database of its own');
  });

  it('a database that does not hold every character', async () => {
    const name = `${new URL(place.url).pathname.slice(1)}_ascii`;
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII'`);
    const { href } = Object.assign(new URL(place.url), { pathname: name });
    await expect(postgres.open(postgres.parse(href), context)).rejects.toThrow("create one with ENCODING 'UTF8'");
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  it('a database where it may create nothing', async () => {
    await admin.unsafe('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const name = `podsync_guest_${new URL(place.url).pathname.slice(-12)}`;
    await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
    const { href } = Object.assign(new URL(place.url), { username: name, password: 'guest' });
    const opening = postgres.open(postgres.parse(href), context);
    await expect(opening).rejects.toThrow('make it the owner of the database');
    await admin.unsafe(`DROP ROLE ${name}`);
  });
});

describe('a location', () => {
  it.each(['postgres://host', 'postgresql://bob:p%23w@[::1]:5432/db?sslmode=require', 'postgres://one:1,two:2/db'])(
    'may be %s',
    (location) => {
      expect(postgres.parse(location)).toEqual({ url: location });
    },
  );

  it('may be left to the variables of PostgreSQL', () => {
    expect(postgres.parse('')).toEqual({ url: undefined });
  });

  it.each([
    'host/db',
    'mysql://bob:hunter2@host/db',
    'postgres://bob:hunter2#@host:x/db',
    'postgres://bob:hunter2%@host',
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
});

describe('a since-read is one range of an index', () => {
  it.each([
    ['subscriptions', SUBSCRIPTIONS_SINCE, 'subscriptions_by_stamp', ['user_id =', 'device =', 'stamp >=']],
    ['a page of episode actions', PAGE, 'actions_pkey', ['user_id =', 'stamp <=', 'ROW(stamp, place) > ROW(']],
  ])('of %s, without sorting', async (_what, sql, index, bounds) => {
    await (await open()).close();
    const { text, names } = toNumbered(sql);
    // A plan for whatever the values are, as the storage comes to use it.
    await admin.unsafe(`SET plan_cache_mode = force_generic_plan; PREPARE asked AS ${text}`);
    const plan = await admin.unsafe(`EXPLAIN (COSTS OFF) EXECUTE asked(${names.map(() => 'NULL').join(', ')})`);
    const lines = plan.map((row) => row['QUERY PLAN'] as string);
    const steps = lines.join('\n');
    expect(steps).toContain(`Index Scan using ${index}`);
    const range = lines.find((line) => line.includes('Index Cond'));
    for (const bound of bounds) expect(range).toContain(bound);
    expect(steps).not.toContain('Sort');
    expect(steps).not.toContain('Seq Scan');
  });
});
