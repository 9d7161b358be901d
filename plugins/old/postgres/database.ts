import { type StorageContext, type Seconds, StorageError, Turns, type UserId } from '../../../src/old-plugin.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { loadDriver } from './driver.ts';
import { isGivenWay, toStorageError } from './failure.ts';
import { migrate } from './migrations.ts';
import { Pool } from './pool.ts';

export interface DatabaseOptions extends ConnectionOptions {
  /** The time, for tests alone. Undefined: the clock of the database, which all nodes share. */
  now?: () => Seconds;
}

/** Connections of one node. */
const CONNECTIONS = 10;

/** How many times in all a transaction is run that gives way to others. */
const ATTEMPTS = 5;

/** The time when it is asked for; `now()` would be when the transaction began, before it waited for a lock. */
export const CLOCK = 'floor(extract(epoch FROM clock_timestamp()))::bigint';

/** Named parameters. A list is an SQL array. */
export type Values = Record<string, unknown>;

/** A statement with parameters `@name`, where `@now` is the time. */
export interface Statement<Row> {
  get(connection: Connection, values: Values): Promise<Row | undefined>;
  all(connection: Connection, values: Values): Promise<Row[]>;
  /** Answers how many rows it changed. */
  run(connection: Connection, values: Values): Promise<number>;
  /** Nobody waits for it; where it fails the transaction does. */
  send(connection: Connection, values: Values): void;
}

/** One PostgreSQL database, which other nodes may use as well. */
export class Database {
  readonly context: StorageContext;
  readonly #pool: Pool;
  readonly #now: DatabaseOptions['now'];
  readonly #turns = new Turns<UserId>();

  private constructor(pool: Pool, now: DatabaseOptions['now'], context: StorageContext) {
    this.#pool = pool;
    this.#now = now;
    this.context = context;
  }

  /** Rejects with `unavailable` when the server is not there or does not let us in, `corrupt` for a foreign database. */
  static async open({ now, ...place }: DatabaseOptions, context: StorageContext): Promise<Database> {
    const driver = await loadDriver();
    const pool = new Pool(CONNECTIONS, (onLost) => new Connection(driver, place, onLost));
    const database = new Database(pool, now, context);
    try {
      await database.write(migrate);
      return database;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /** A statement, which each connection prepares when it first runs it. */
  prepare<Row>(sql: string): Statement<Row> {
    const now = this.#now;
    const { text, names } = toNumbered(now ? sql : sql.replaceAll('@now', CLOCK));
    const toParameters = (values: Values): unknown[] => {
      const known = now ? { ...values, now: now() } : values;
      return names.map((name) => known[name]);
    };
    const run = (connection: Connection, values: Values) => connection.run(text, toParameters(values));
    return {
      get: async (connection, values) => (await run(connection, values)).rows[0] as Row | undefined,
      all: async (connection, values) => (await run(connection, values)).rows as Row[],
      run: async (connection, values) => (await run(connection, values)).count,
      send: (connection, values) => connection.send(text, toParameters(values)),
    };
  }

  /** Runs a step where every statement stands for itself, and sees what is committed then. */
  async read<T>(step: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.use(step);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /**
   * Runs a step whole or not at all, maybe more than once. Resolves when it is durable. Every statement sees what is
   * committed when it begins: so what follows a lock sees all that was done under it.
   */
  async write<T>(step: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#pool.use((connection) => transact(connection, 'BEGIN', step));
      } catch (error) {
        if (!isGivenWay(error) || attempt === ATTEMPTS) throw toStorageError(error);
      }
    }
  }

  /** The same for a user, one at a time on this node: whoever waits for that user's row takes no connection meanwhile. */
  writeFor<T>(user: UserId, step: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#turns.take(user, () => this.write(step));
  }

  /** Runs a step that reads, where all statements see the same. */
  async snapshot<T>(step: (connection: Connection) => Promise<T>): Promise<T> {
    return this.read((connection) => transact(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', step));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

async function transact<T>(connection: Connection, begin: string, step: (on: Connection) => Promise<T>): Promise<T> {
  if (connection.isUsable) connection.send(begin);
  else await connection.run(begin); // the first answer may tell why we are not let in
  let result: T;
  try {
    result = await step(connection);
  } catch (error) {
    // Where this fails the connection is gone, and the transaction with it.
    if (connection.isUsable) await connection.run('ROLLBACK').catch(() => connection.end());
    throw error;
  }
  const { command } = await connection.run('COMMIT');
  if (command !== 'COMMIT') throw new StorageError('unavailable', 'PostgreSQL did not commit a change');
  return result;
}

/** Turns `@name` into `$1` and so on, the same number for the same name. Exported for tests. */
export function toNumbered(sql: string): { text: string; names: string[] } {
  const names: string[] = [];
  const text = sql.replace(/@([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    const number = `$${names.indexOf(name) + 1}`;
    return name === 'now' ? `${number}::bigint` : number;
  });
  return { text, names };
}
