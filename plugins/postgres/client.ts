import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type postgres from 'postgres';
import type { Row, RowList, Sql } from 'postgres';
import { loadOptional } from '../../src/plugin.ts';

type Driver = (url: string, options?: object) => Sql;
type Rows = RowList<Row[]>;

const TARGET = 'PGTARGETSESSIONATTRS';

/** postgres.js, an optional dependency. It ignores `PGTARGETSESSIONATTRS`: podsync finds the primary itself. */
export async function loadDriver(
  load: () => Promise<{ default: typeof postgres }> = () => import('postgres'),
): Promise<Driver> {
  const driver = await loadOptional(load, 'postgres', '3.4.9', 'the PostgreSQL storage needs the package postgres');
  return (url, options) => {
    const { [TARGET]: target, PGSSLMODE: mode } = process.env;
    // For what the URL does not say, as in all programs of PostgreSQL. For `allow`, postgres.js would insist on TLS.
    const wanted = mode === 'allow' ? 'prefer' : mode;
    const ssl: object = wanted && !/[?&]ssl(?:mode)?=/.test(url) ? { ssl: wanted !== 'disable' && wanted } : {};
    delete process.env[TARGET]; // postgres.js has no option for this, and throws for `any`, the default of PostgreSQL
    try {
      return driver(url, { ...ssl, ...options });
    } finally {
      if (target !== undefined) process.env[TARGET] = target;
    }
  };
}

/** Milliseconds for connecting, including the first statement; later, between checks whether the server still answers. */
const TIMEOUT = 10_000;

const IS_REPLICA = 'SELECT pg_is_in_recovery() AS value';

export interface ConnectionOptions {
  /** If undefined, the variables `PGHOST`, `PGDATABASE` and so on are used. */
  url: string | undefined;
  /** Milliseconds. For tests only. */
  timeout?: number;
}

/** Address of one server, as options of postgres.js; `path` is that of a Unix socket. */
type Server = { host: [string]; port: [number]; ssl?: { host: string } } | { path: string; ssl: false };

/** What is before the hosts of a URL, the hosts, separated by commas, and what is after them. */
export const URL_PARTS = /^(\w+:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s;

/** The servers that a URL names, or the variables `PGHOST` and `PGPORT` if it is undefined. Connects to none of them. */
export function serversOf(driver: Driver, { url = '' }: ConnectionOptions): Server[] {
  const { host: hosts, port: ports, path, ssl } = driver(url).options;
  if (path) return [{ path, ssl: false }];
  // Without a host, an IP address would need a certificate for localhost. The three modes check no certificate.
  const tls = (host: string) => ssl && !['require', 'allow', 'prefer'].includes(`${ssl}`) && { ssl: { host } };
  const toServer = (host: string, port: number): Server => ({ host: [host], port: [port], ...tls(host) });
  const written = URL_PARTS.exec(url)?.[2];
  if (!written) return hosts.map((host, index) => toServer(host, ports[index]!));
  // Not by postgres.js: it cuts off an IPv6 address, and takes the port of the first host for the others.
  return written.split(',').map((each) => {
    const { hostname, port } = new URL(`postgres://${each}`);
    return toServer(hostname.replace(/^\[(.*)\]$/, '$1'), Number(port || process.env['PGPORT'] || 5432));
  });
}

/**
 * Connects to all servers at once and returns the first that is not a replica, so that neither replicas nor dead machines
 * delay it.
 */
export async function connectToPrimary(
  driver: Driver,
  options: ConnectionOptions,
  servers: readonly Server[],
): Promise<Client> {
  const clients = servers.map((server) => new Client(driver, options, server));
  let primary: Client | undefined;
  try {
    return (primary = await Promise.any(clients.map((client) => client.open())));
  } catch (error) {
    const { errors } = error as AggregateError;
    throw errors.find(isAnswer) ?? errors.find(({ code }) => code === 'REPLICA') ?? errors[0]; // the one that says most
  } finally {
    for (const other of clients) if (other !== primary) void other.end({ now: true });
  }
}

/**
 * One connection to one server. Statements run in the order sent and are pipelined. Each is a postgres.js client of its
 * own and is discarded when it breaks: a client with several connections writes to closed sockets, which ends the
 * process.
 */
export class Client {
  /** Whether the connection has ended. Set only here. */
  isLost = false;
  readonly #driver: Driver;
  readonly #options: ConnectionOptions;
  readonly #server: Server;
  readonly #sql: Sql;
  #socket: Socket | undefined;
  /** Reject functions of statements without an answer yet. */
  readonly #rejections = new Set<(reason: Error) => void>();
  #opened: Promise<this> | undefined;
  #isChecking = false;

  /** Connects at the first use. */
  constructor(driver: Driver, options: ConnectionOptions, server: Server) {
    this.#driver = driver;
    this.#options = options;
    this.#server = server;
    this.#sql = driver(options.url ?? '', {
      ...server,
      max: 1,
      max_lifetime: null,
      socket: (address: Address) => this.#dial(address),
      fetch_types: false,
      onnotice: () => undefined,
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } }, // versions are far below 2^53
      connection: {
        application_name: 'podsync',
        default_transaction_isolation: 'read committed',
        synchronous_commit: 'on', // a server may have it off, and then lose acknowledged commits when it crashes
        idle_in_transaction_session_timeout: 60_000, // a crashed node must release its locks
        // Index scans only: plans made while the table is small must not differ.
        plan_cache_mode: 'force_generic_plan',
        enable_seqscan: 'off',
        enable_bitmapscan: 'off',
        enable_sort: 'off',
      },
      onclose: () => this.#lose(),
    });
  }

  /** Runs a prepared statement with parameters `$1`, `$2` and so on. */
  async run<T = Row>(text: string, parameters: readonly (string | number | null)[] = []): Promise<T[]> {
    const rows = await this.#send(() => this.#sql.unsafe(text, [...parameters] as never[], { prepare: true }));
    return [...(rows as Iterable<T>)];
  }

  async runScript(text: string): Promise<void> {
    await this.#send(() => this.#sql.unsafe(text).simple());
  }

  async #send(statement: () => Promise<Rows>): Promise<Rows> {
    if (this.isLost) throw broken('CONNECTION_CLOSED', 'the connection was lost');
    try {
      await this.open();
      return await this.#execute(statement, () => void this.#check());
    } catch (error) {
      if (endsConnection(error)) this.#lose(); // before postgres.js notices the end of the connection
      throw error;
    }
  }

  /**
   * Connects, and sends a first statement, which must be answered quickly. Rejects with the code `REPLICA` for a replica:
   * it may lag behind, so it is not even read from.
   */
  open(): Promise<this> {
    return (this.#opened ??= this.#open());
  }

  async #open(): Promise<this> {
    const giveUp = (): void => this.#lose(broken('CONNECT_TIMEOUT', 'the server did not answer'));
    try {
      const [row] = await this.#execute(() => this.#sql.unsafe(IS_REPLICA).simple(), giveUp);
      if (row!['value']) throw broken('REPLICA', 'the server is a replica');
      return this;
    } catch (error) {
      this.#lose();
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
    const other = new Client(this.#driver, this.#options, this.#server);
    try {
      await other.open();
    } catch (error) {
      if (!isAnswer(error)) this.#lose(); // "too many connections", for example, is an answer
    } finally {
      this.#isChecking = false;
      await other.end();
    }
  }

  /** Rejects all statements, and any later one. */
  #lose(reason = broken('CONNECTION_CLOSED', 'the connection was lost')): void {
    if (this.isLost) return;
    this.isLost = true;
    for (const reject of this.#rejections) reject(reason);
    void this.end();
  }

  /**
   * Connects once: postgres.js would reconnect forever, without a pause, to something that accepts connections and
   * closes them.
   */
  async #dial({ host: [host], port: [port], path }: Address): Promise<Socket> {
    if (this.#socket) throw broken('CONNECTION_CLOSED', 'the server closed the connection');
    this.#socket = path ? connect(path) : connect(port!, host);
    await once(this.#socket, 'connect');
    return Object.assign(this.#socket, { host, port });
  }

  /** Waits for running statements, for some seconds or not at all. Safe to call twice. */
  async end({ now = this.isLost } = {}): Promise<void> {
    this.isLost = true;
    await this.#sql.end({ timeout: now ? 0 : 5 });
    this.#socket?.destroy();
  }
}

/** Address of a server in postgres.js, which has lists for several. */
interface Address {
  host: string[];
  port: number[];
  path: string | false;
}

const broken = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** Whether an error was sent by the server. */
export const isAnswer = (error: unknown): boolean => (error as Error).name === 'PostgresError';

const endsConnection = (error: unknown): boolean =>
  !isAnswer(error) || (error as { severity?: string }).severity !== 'ERROR';
