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
  #connected: Promise<void> | undefined;
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
    try {
      await (this.#connected ??= this.#connect());
      return await this.#execute(text, parameters, options, () => void this.#check());
    } catch (error) {
      if (endsConnection(error)) this.#lose(); // before postgres.js notices that it is closed
      throw error;
    }
  }

  /** The first statement, which is none that may take its time. */
  async #connect(): Promise<void> {
    const giveUp = (): void => this.#reject(broken('CONNECT_TIMEOUT', 'the server did not answer'));
    await this.#execute('SELECT 1', [], { simple: true }, giveUp);
  }

  /** `onDelay` is called each time that the server has not answered for so long. */
  async #execute(
    text: string,
    parameters: readonly unknown[],
    options: object,
    onDelay: () => void,
  ): Promise<RowList<Row[]>> {
    const sent = this.#sql.unsafe(text, [...parameters] as never[], options);
    const timer = setInterval(onDelay, this.#options.timeout ?? TIMEOUT);
    let rejection!: (reason: Error) => void;
    try {
      return await new Promise<RowList<Row[]>>((resolve, reject) => {
        // postgres.js forgets what was sent between the end of a connection and its own notice of it.
        this.#rejections.add((rejection = reject));
        sent.then(resolve, reject);
      });
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
      if (!isAnswer(error)) this.#lose(); // an answer is, say, that too many are connected
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
    const timeout = this.#isLost ? 0 : CLOSE_TIMEOUT;
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

/** Whether it comes from the server. */
const isAnswer = (error: unknown): boolean => (error as Error).name === 'PostgresError';

const endsConnection = (error: unknown): boolean =>
  !isAnswer(error) || (error as { severity?: string }).severity !== 'ERROR';

/** The text of an SQL array. */
export const toArray = (values: readonly (string | number | null)[]): string => `{${values.map(toElement).join(',')}}`;

const toElement = (value: string | number | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
