import type { Row } from 'postgres';
import { loadOptional } from '../../src/plugin.ts';
import { Client, type ConnectionOptions, type Driver, isAnswer, isReplica, type Server } from './client.ts';

/** postgres.js, an optional dependency. */
export const loadDriver = (load: () => Promise<{ default: Driver }> = () => import('postgres')): Promise<Driver> =>
  loadOptional(load, 'postgres', '3.4.9', 'the PostgreSQL storage needs the package postgres');

/**
 * A connection to the primary of several servers. It connects to all of them at once and keeps the first that is not a
 * replica, so that neither replicas nor dead machines delay it.
 */
export class Connection {
  readonly #servers: readonly Client[];
  readonly #onLost: (connection: Connection) => void;
  #primary: Client | undefined;
  #found: Promise<Client> | undefined;

  /** Connects at the first `run`. */
  constructor(
    driver: Driver,
    options: ConnectionOptions,
    servers: readonly Server[],
    onLost: (connection: Connection) => void = () => undefined,
  ) {
    this.#onLost = onLost;
    const lose = (client: Client): void => {
      if (client === this.#primary) this.#onLost(this);
    };
    this.#servers = servers.map((server) => new Client(driver, options, server, lose));
  }

  /** Runs a prepared statement with parameters `$1`, `$2` and so on. */
  async run<T = Row>(text: string, parameters?: readonly (string | number | null)[]): Promise<T[]> {
    const primary = this.#primary ?? (await (this.#found ??= this.#find()));
    return primary.run<T>(text, parameters);
  }

  /** Runs several statements without parameters. */
  async runScript(text: string): Promise<void> {
    const primary = this.#primary ?? (await (this.#found ??= this.#find()));
    await primary.runScript(text);
  }

  async #find(): Promise<Client> {
    const attempts = this.#servers.map(async (server) => {
      await server.open();
      this.#primary ??= server;
    });
    try {
      await Promise.any(attempts);
    } catch (error) {
      this.#onLost(this);
      throw explain((error as AggregateError).errors);
    }
    for (const other of this.#servers) if (other !== this.#primary) void other.end({ now: true });
    return this.#primary!;
  }

  /** Safe to call twice. */
  async end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.end()));
  }
}

/** Of the errors of all servers, the one that says most. */
const explain = (errors: readonly unknown[]): unknown => errors.find(isAnswer) ?? errors.find(isReplica) ?? errors[0];

/** The text form of an SQL array. */
export const toArray = (values: readonly (string | number | null)[]): string => `{${values.map(toElement).join(',')}}`;

const toElement = (value: string | number | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
