import { randomBytes } from 'node:crypto';
import postgres, { type Sql } from 'postgres';

/** An empty database on the PostgreSQL of the tests. */
export interface TestDatabase {
  readonly url: string;
  /** Releases it. No connection may be open. */
  destroy(): Promise<void>;
}

/** URL of the PostgreSQL of the tests, as superuser: see `test/global-setup.ts`. */
const SERVER = 'PODSYNC_TEST_POSTGRES';

/** Prefix of the names of databases, which are all deleted at the end of a run. */
const PREFIX = 'PODSYNC_TEST_PREFIX';

/** Emptied databases for reuse, as creating one takes longer than most tests. */
const free: string[] = [];

/** A database that no test has opened has no table yet. */
const EMPTY = `DO $$ BEGIN IF to_regclass('entries') IS NOT NULL THEN TRUNCATE entries; END IF; END $$`;

/** An empty database for one test. */
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

/** A new database without tables. */
export async function createBareDatabase(): Promise<TestDatabase> {
  const url = await create();
  return { url, destroy: () => run(server(), `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`) };
}

/** Starts a test run; returns its teardown. */
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

/** Resolves when this number of connections to the database are waiting for locks. */
export const untilBlocked = (url: string, count: number): Promise<void> =>
  withServer(url, async (sql) => {
    const blocked = () => sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
    while ((await blocked()).length < count);
  });

const server = (): string => process.env[SERVER]!;

const run = (url: string, statement: string): Promise<void> =>
  withServer(url, async (sql) => void (await sql.unsafe(statement)));

/** Uses a separate connection, as this may be the last use. */
async function withServer(url: string, step: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await step(sql);
  } finally {
    await sql.end();
  }
}
