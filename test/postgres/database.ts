import { randomBytes } from 'node:crypto';
import postgres, { type Sql } from 'postgres';

/** A database on the PostgreSQL of the tests, empty at first. */
export interface TestDatabase {
  readonly url: string;
  /** Lets go of it, when nobody is connected any more. */
  destroy(): Promise<void>;
}

/** The tests find their PostgreSQL here: see `test/global-setup.ts`. A superuser. */
const SERVER = 'PODSYNC_TEST_POSTGRES';

/** What the names of databases begin with, so that all go at the end of a run. */
const PREFIX = 'PODSYNC_TEST_PREFIX';

/** Databases that are empty again: to make a new one takes longer than most tests do. */
const free: string[] = [];

/** Empties all tables but those that are never empty, in any order. */
const EMPTY = `
  DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN
      SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('directory', 'entries', 'podsync_schema')
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    IF to_regclass('entries') IS NOT NULL THEN TRUNCATE entries; END IF; -- rows that are deleted would slow down others
    IF to_regclass('directory') IS NOT NULL THEN UPDATE directory SET stamp = 0, told_at = 0; END IF;
  END $$`;

/** Each test has a database to itself. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = free.pop() ?? (await create());
  return {
    url,
    async destroy() {
      await run(url, EMPTY);
      free.push(url);
    },
  };
}

/** A database that no test ever had, with nothing in it: no tables either. */
export async function createBareDatabase(): Promise<TestDatabase> {
  const url = await create();
  return { url, destroy: () => run(server(), `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`) };
}

/** Begins a run of tests; answers what ends it. */
export function beginRun(): () => Promise<void> {
  const prefix = `podsync_test_${randomBytes(4).toString('hex')}_`;
  process.env[PREFIX] = prefix;
  return () =>
    withServer(server(), async (sql) => {
      const made = await sql`SELECT datname AS name FROM pg_database WHERE starts_with(datname, ${prefix})`;
      for (const { name } of made) await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`;
    });
}

async function create(): Promise<string> {
  const name = `${process.env[PREFIX]}${randomBytes(6).toString('hex')}`;
  await run(server(), `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  return Object.assign(new URL(server()), { pathname: name }).href;
}

/** Resolves once so many connections to the database wait for what another one has locked. */
export const untilBlocked = (url: string, count: number): Promise<void> =>
  withServer(url, async (sql) => {
    const blocked = () => sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
    while ((await blocked()).length < count);
  });

const server = (): string => process.env[SERVER]!;

const run = (url: string, statement: string): Promise<void> =>
  withServer(url, async (sql) => void (await sql.unsafe(statement)));

/** A connection of its own, as it may be that nobody comes by again. */
async function withServer(url: string, step: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await step(sql);
  } finally {
    await sql.end();
  }
}
