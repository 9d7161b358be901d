import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Row, RowList, Sql } from 'postgres';
import type { Driver } from './driver.ts';

/**
 * How long a server may take to accept a connection and answer a first statement; of a later one, after how long it is
 * checked whether the server still answers. Milliseconds.
 */
const TIMEOUT = 10_000;

/** Seconds that closing may take. */
const CLOSE_TIMEOUT = 5;

/** Milliseconds that a transaction may be idle: then a node that crashed holds no locks any more. */
const IDLE_TIMEOUT = 60_000;

/** Versions, far below 2^53. */
const BIGINT = { to: 20, from: [20], parse: Number, serialize: String };

/** All that is read and written is found by the index: a plan made while the table is small must not differ. */
const INDEX_PLANS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
};

export interface ConnectionOptions {
  /** Without it the variables `PGHOST`, `PGDATABASE` and the like are used. */
  url: string | undefined;
  /** Milliseconds, for tests alone. */
  timeout?: number;
}

/**
 * One connection. Statements run in the order they are sent in; the next one may be sent before the last one is answered.
 * It is a client of its own and is thrown away when it breaks: a client with several connections writes to sockets that
 * are closed, which ends the process.
 */
export class Connection {
  readonly #driver: Driver;
  readonly #options: ConnectionOptions;
  readonly #onLost: (connection: Connection) => void;
  readonly #sql: Sql;
  #socket: Socket | undefined;
  /** These reject the statements that wait for an answer. */
  readonly #rejections = new Set<(reason: Error) => void>();
  #isConnected = false;
  #isLost = false;
  #isChecking = false;

  /** Nothing is connected before `run`. */
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
        ...INDEX_PLANS,
      },
      onclose: () => this.#lose(),
    } as object) as Sql;
  }

  /** Runs a statement with parameters `$1`, `$2` and so on; it is prepared and kept. */
  async run<T = Row>(text: string, parameters: readonly (string | number | null)[] = []): Promise<T[]> {
    const rows = await this.#send(text, parameters, { prepare: true });
    return [...(rows as Iterable<T>)];
  }

  /** Runs several statements without parameters. */
  async runScript(text: string): Promise<void> {
    await this.#send(text, [], { simple: true });
  }

  async #send(text: string, parameters: readonly unknown[], options: object): Promise<RowList<Row[]>> {
    if (this.#isLost) throw broken('CONNECTION_CLOSED', 'the connection was lost');
    const sent = this.#sql.unsafe(text, [...parameters] as never[], options);
    let timer: NodeJS.Timeout | undefined;
    let rejection!: (reason: Error) => void;
    try {
      const rows = await new Promise<RowList<Row[]>>((resolve, reject) => {
        // postgres.js forgets what was sent between the end of a connection and its own notice of it.
        this.#rejections.add((rejection = reject));
        timer = setInterval(() => {
          if (this.#isConnected) void this.#check();
          else reject(broken('CONNECT_TIMEOUT', 'the server did not answer'));
        }, this.#options.timeout ?? TIMEOUT);
        sent.then(resolve, reject);
      });
      this.#isConnected = true;
      return rows;
    } catch (error) {
      if (!this.#isConnected) this.#lose(); // it was never let in
      throw error;
    } finally {
      clearInterval(timer);
      this.#rejections.delete(rejection);
    }
  }

  /**
   * Asks over another connection whether the server still answers: a long statement may take its time, but a machine that
   * crashed closes no connection, and the network reports it after a quarter of an hour.
   */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const other = new Connection(this.#driver, this.#options);
    try {
      await other.run('SELECT 1');
    } catch (error) {
      const isAnswer = (error as Error).name === 'PostgresError'; // such as that too many are connected
      if (!isAnswer) this.#lose();
    } finally {
      this.#isChecking = false;
      await other.end();
    }
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#reject(broken('CONNECTION_CLOSED', 'the connection was lost'));
    this.#onLost(this);
  }

  #reject(reason: Error): void {
    for (const reject of this.#rejections) reject(reason);
  }

  /**
   * Dials the hosts one after the other, and no more: postgres.js would dial for ever, without a pause, where something
   * accepts connections and closes them.
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
    this.#reject(failure); // postgres.js keeps it to itself where there is more than one host
    throw failure;
  }

  /** Safe to call twice. */
  async end(): Promise<void> {
    const timeout = this.#isConnected && !this.#isLost ? CLOSE_TIMEOUT : 0;
    this.#isLost = true;
    await this.#sql.end({ timeout });
    this.#socket?.destroy();
  }
}

/** Where postgres.js finds a server: `path` is that of a Unix socket. */
interface Address {
  host: string[];
  port: number[];
  path: string | false;
}

const broken = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** The text of an SQL array. */
export const toArray = (values: readonly (string | number | null)[]): string => `{${values.map(toElement).join(',')}}`;

const toElement = (value: string | number | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
