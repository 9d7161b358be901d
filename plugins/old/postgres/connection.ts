import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Row, RowList, Sql } from 'postgres';
import type { Driver } from './driver.ts';
import { fromStored, toStored } from './text.ts';

/**
 * How long a server may take to accept a connection and answer a first statement; of a later one, after how long it is
 * checked whether the server is still there. Milliseconds.
 */
const PATIENCE = 10_000;

/** Seconds that it may take to say goodbye. */
const FAREWELL = 5;

/** Milliseconds that a transaction may stand still: then a node that is gone holds no locks any more. */
const STANDSTILL = 60_000;

/** Numbers of 64 bits: times, stamps and counts, all of them far below 2^53. */
const BIGINT = { to: 20, from: [20], parse: Number, serialize: String };
const TEXT = { to: 25, from: [25], parse: fromStored, serialize: String };

type Answer = RowList<Row[]>;

/** What a statement answers. */
export interface Result {
  rows: readonly unknown[];
  /** How many rows it read or changed. */
  count: number;
  /** What was done: `COMMIT`, and `ROLLBACK` for a COMMIT that came to nothing. */
  command: string;
}

export interface ConnectionOptions {
  /** Without it the variables `PGHOST`, `PGDATABASE` and the like tell where. */
  url: string | undefined;
  /** Milliseconds, for tests alone. */
  patience?: number;
}

/**
 * One connection. Statements are done in the order they are sent in; the next one may be sent before the last one is
 * answered. It is a client of its own and is thrown away when it breaks: a client with several connections sends what is
 * left of a broken transaction over the next one, where every statement would be committed by itself, and writes to
 * sockets that are gone, which ends the process.
 */
export class Connection {
  readonly #driver: Driver;
  readonly #options: ConnectionOptions;
  readonly #onLost: (connection: Connection) => void;
  readonly #sql: Sql;
  #socket: Socket | undefined;
  /** These reject whoever waits for an answer. */
  readonly #rejections = new Set<(reason: Error) => void>();
  #isConnected = false;
  #isLost = false;
  #isAskedAfter = false;

  /** Nothing is connected before `run`. */
  constructor(driver: Driver, options: ConnectionOptions, onLost: (connection: Connection) => void) {
    this.#driver = driver;
    this.#options = options;
    this.#onLost = onLost;
    this.#sql = driver(options.url ?? '', {
      max: 1,
      max_lifetime: null,
      socket: (server: Address) => this.#dial(server),
      fetch_types: false,
      onnotice: () => undefined,
      types: { bigint: BIGINT, text: TEXT },
      connection: {
        application_name: 'podsync',
        default_transaction_isolation: 'read committed',
        idle_in_transaction_session_timeout: STANDSTILL,
      },
      onclose: () => this.#lose(),
    } as object) as Sql;
  }

  /** Whether it may be used again. */
  get isUsable(): boolean {
    return this.#isConnected && !this.#isLost;
  }

  /** Runs a statement with parameters `$1`, `$2` and so on; it is prepared and kept. */
  async run(text: string, parameters: readonly unknown[] = []): Promise<Result> {
    const answer = await this.#send(text, parameters.map(toParameter), { prepare: true });
    return { rows: [...answer], count: answer.count, command: answer.command };
  }

  /** Runs a statement that nobody waits for. Where it fails the connection ends, and with it all that follows. */
  send(text: string, parameters: readonly unknown[] = []): void {
    this.run(text, parameters).catch(() => this.end());
  }

  /** Runs several statements without parameters. */
  async runScript(text: string): Promise<void> {
    await this.#send(text, [], { simple: true });
  }

  async #send(text: string, parameters: readonly unknown[], options: object): Promise<Answer> {
    if (this.#isLost) throw broken('CONNECTION_CLOSED', 'the connection was lost');
    const sent = this.#sql.unsafe(text, [...parameters] as never[], options);
    let timer: NodeJS.Timeout | undefined;
    let rejection!: (reason: Error) => void;
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        // postgres.js forgets what was sent between the end of a connection and its own notice of it.
        this.#rejections.add((rejection = reject));
        timer = setInterval(() => {
          if (this.#isConnected) void this.#askAfter();
          else reject(broken('CONNECT_TIMEOUT', 'the server did not answer'));
        }, this.#options.patience ?? PATIENCE);
        sent.then(resolve, reject);
      });
      this.#isConnected = true;
      return answer;
    } finally {
      clearInterval(timer);
      this.#rejections.delete(rejection);
    }
  }

  /**
   * Asks by another connection whether the server is still there: a long statement may take its time, but a machine that
   * is gone says no goodbye, and the network tells of it after a quarter of an hour.
   */
  async #askAfter(): Promise<void> {
    if (this.#isAskedAfter) return;
    this.#isAskedAfter = true;
    const other = new Connection(this.#driver, this.#options, () => undefined);
    try {
      await other.run('SELECT 1');
    } catch (error) {
      const isAnswer = (error as Error).name === 'PostgresError'; // such as that too many are connected
      if (!isAnswer) this.#lose();
    } finally {
      this.#isAskedAfter = false;
      await other.end();
    }
  }

  #lose(): void {
    this.#isLost = true;
    this.#giveUp(broken('CONNECTION_CLOSED', 'the connection was lost'));
    this.#onLost(this);
  }

  /** Lets go of whoever waits for an answer. */
  #giveUp(reason: Error): void {
    for (const reject of this.#rejections) reject(reason);
  }

  /**
   * Dials the hosts one after the other, and no more: postgres.js would dial for ever, without a pause, where somebody
   * takes calls and hangs up.
   */
  async #dial({ host: hosts, port: ports, path }: Address): Promise<Socket> {
    let failure = broken('CONNECTION_CLOSED', 'the server hung up');
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
    this.#giveUp(failure); // postgres.js keeps it to itself where there is more than one host
    throw failure;
  }

  async end(): Promise<void> {
    const timeout = this.isUsable ? FAREWELL : 0;
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

/** A list becomes the text of an SQL array; what is undefined becomes NULL. */
const toParameter = (value: unknown): unknown => {
  if (Array.isArray(value)) return `{${value.map(toElement).join(',')}}`;
  return typeof value === 'string' ? toStored(value) : (value ?? null);
};

const toElement = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'string' ? `"${toStored(value).replace(/["\\]/g, '\\$&')}"` : String(value);
};
