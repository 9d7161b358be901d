import type { Connection } from './connection.ts';

/** Maximum connections of a node. */
export const CONNECTIONS = 10;

/** Connections that run several statements each, one after the other. Requests are limited before they get here. */
export class Pool {
  readonly #create: (onLost: (connection: Connection) => void) => Connection;
  /** Number of running statements per connection. */
  readonly #connections = new Map<Connection, number>();

  constructor(create: (onLost: (connection: Connection) => void) => Connection) {
    this.#create = create;
  }

  /** Runs one statement. Statements of other callers may share the connection. */
  async use<T>(statement: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#pick();
    this.#count(connection, 1);
    try {
      return await statement(connection);
    } finally {
      this.#count(connection, -1);
    }
  }

  /** The connection with the fewest statements; a new one if all are busy and the pool is not full. */
  #pick(): Connection {
    const [best] = [...this.#connections].toSorted(([, a], [, b]) => a - b);
    if (best && (best[1] === 0 || this.#connections.size === CONNECTIONS)) return best[0];
    const created = this.#create((lost) => {
      this.#connections.delete(lost);
      void lost.end();
    });
    this.#connections.set(created, 0);
    return created;
  }

  #count(connection: Connection, change: number): void {
    const count = this.#connections.get(connection);
    if (count !== undefined) this.#connections.set(connection, count + change);
  }

  /** To be called when no statement is running. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map((connection) => connection.end()));
  }
}
