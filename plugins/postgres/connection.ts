import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type postgres from 'postgres';
import type { Row, RowList, Sql } from 'postgres';
import { StorageError } from '../../src/plugin.ts';

type Driver = typeof postgres;
type Rows = RowList<Row[]>;

/** postgres.js, an optional dependency. Rejects with `unavailable` if it is not installed. */
export async function loadDriver(load: () => Promise<{ default: Driver }> = () => import('postgres')): Promise<Driver> {
  try {
    return (await load()).default;
  } catch (error) {
    const message = 'the PostgreSQL storage needs the package postgres; install it next to podsync:';
    throw new StorageError('unavailable', `${message} npm install postgres@3.4.9`, { cause: error });
  }
}

/**
 * Timeout for connecting, including the first statement. For later statements, the interval between checks whether the
 * server still answers. Milliseconds.
 */
const TIMEOUT = 10_000;

/** Timeout for closing. Seconds. */
const CLOSE_TIMEOUT = 5;

/** Limit for idle transactions, so that a crashed node releases its locks. Milliseconds. */
const IDLE_TIMEOUT = 60_000;

/** Type of versions, which are far below 2^53. */
const BIGINT = { to: 20, from: [20], parse: Number, serialize: String };

export interface ConnectionOptions {
  /** If undefined, the variables `PGHOST`, `PGDATABASE` and so on are used. */
  url: string | undefined;
  /** Milliseconds. For tests only. */
  timeout?: number;
}

/**
 * One connection. Statements run in the order sent and are pipelined. Each connection is a postgres.js client of its
 * own and is discarded when it breaks: a client with several connections writes to closed sockets, which ends the
 * process.
 */
export class Connection {
  readonly #driver: Driver;
  readonly #options: ConnectionOptions;
  readonly #onLost: (connection: Connection) => void;
  readonly #sql: Sql;
  #socket: Socket | undefined;
  /** Reject functions of statements without an answer yet. */
  readonly #rejections = new Set<(reason: Error) => void>();
  #connected: Promise<unknown> | undefined;
  #isLost = false;
  #isChecking = false;

  /** Connects at the first `run`. */
  constructor(driver: Driver, options: ConnectionOptions, onLost: (connection: Connection) => void = () => undefined) {
    this.#driver = driver;
    this.#options = options;
    this.#onLost = onLost;
    this.#sql = driver(options.url ?? '', {
      max: 1,
      max_lifetime: null,
      socket: (server: Address) => this.#dial(server),
      fetch_types: false,
      onnotice: () => undefined,
      types: { bigint: BIGINT },
      connection: {
        application_name: 'podsync',
        default_transaction_isolation: 'read committed',
        idle_in_transaction_session_timeout: IDLE_TIMEOUT,
        // Index scans only: plans made while the table is small must not differ.
        plan_cache_mode: 'force_generic_plan',
        enable_seqscan: 'off',
        enable_bitmapscan: 'off',
        enable_sort: 'off',
      },
      onclose: () => this.#lose(),
    } as object) as Sql;
  }

  /** Runs a prepared statement with parameters `$1`, `$2` and so on. */
  async run<T = Row>(text: string, parameters: readonly (string | number | null)[] = []): Promise<T[]> {
    const rows = await this.#send(() => this.#sql.unsafe(text, [...parameters] as never[], { prepare: true }));
    return [...(rows as Iterable<T>)];
  }

  /** Runs several statements without parameters. */
  async runScript(text: string): Promise<void> {
    await this.#send(() => this.#sql.unsafe(text).simple());
  }

  async #send(statement: () => Promise<Rows>): Promise<Rows> {
    if (this.#isLost) throw broken('CONNECTION_CLOSED', 'the connection was lost');
    const giveUp = (): void => this.#lose(broken('CONNECT_TIMEOUT', 'the server did not answer'));
    try {
      await (this.#connected ??= this.#execute(() => this.#sql.unsafe('SELECT 1').simple(), giveUp));
      return await this.#execute(statement, () => void this.#check());
    } catch (error) {
      if (endsConnection(error)) this.#lose(); // before postgres.js notices the end of the connection
      throw error;
    }
  }

  /** `onDelay` is called after each timeout without an answer. */
  async #execute(statement: () => Promise<Rows>, onDelay: () => void): Promise<Rows> {
    const timer = setInterval(onDelay, this.#options.timeout ?? TIMEOUT);
    let rejection!: (reason: Error) => void;
    try {
      return await new Promise<Rows>((resolve, reject) => {
        // postgres.js drops statements that are sent after the connection ended and before it notices.
        this.#rejections.add((rejection = reject));
        statement().then(resolve, reject);
      });
    } finally {
      clearInterval(timer);
      this.#rejections.delete(rejection);
    }
  }

  /**
   * Checks over another connection whether the server still answers: a statement may be slow, but a crashed machine
   * does not close connections, and the network reports that only after 15 minutes.
   */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const other = new Connection(this.#driver, this.#options);
    try {
      await other.run('SELECT 1');
    } catch (error) {
      if (!isAnswer(error)) this.#lose(); // "too many connections", for example, is an answer
    } finally {
      this.#isChecking = false;
      await other.end();
    }
  }

  /** Rejects all statements, and any later one. */
  #lose(reason = broken('CONNECTION_CLOSED', 'the connection was lost')): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const reject of this.#rejections) reject(reason);
    this.#onLost(this);
  }

  /**
   * Tries each host once: postgres.js would reconnect forever, without a pause, to something that accepts connections
   * and closes them.
   */
  async #dial({ host: hosts, port: ports, path }: Address): Promise<Socket> {
    let failure = broken('CONNECTION_CLOSED', 'the server closed the connection');
    if (this.#socket) throw failure;
    for (const [index, host] of hosts.entries()) {
      const port = ports[index]!;
      this.#socket = path ? connect(path) : connect(port, host);
      try {
        await once(this.#socket, 'connect');
        return Object.assign(this.#socket, { host, port });
      } catch (error) {
        failure = error as Error;
      }
    }
    this.#lose(failure); // postgres.js does not report it if there are several hosts
    throw failure;
  }

  /** Safe to call twice. */
  async end(): Promise<void> {
    const timeout = this.#isLost ? 0 : CLOSE_TIMEOUT;
    this.#isLost = true;
    await this.#sql.end({ timeout });
    this.#socket?.destroy();
  }
}

/** Address of a server in postgres.js; `path` is that of a Unix socket. */
interface Address {
  host: string[];
  port: number[];
  path: string | false;
}

const broken = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** Whether an error was sent by the server. */
const isAnswer = (error: unknown): boolean => (error as Error).name === 'PostgresError';

const endsConnection = (error: unknown): boolean =>
  !isAnswer(error) || (error as { severity?: string }).severity !== 'ERROR';

/** The text form of an SQL array. */
export const toArray = (values: readonly (string | number | null)[]): string => `{${values.map(toElement).join(',')}}`;

const toElement = (value: string | number | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
