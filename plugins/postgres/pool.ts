import { StorageError } from '../../src/plugin.ts';
import type { Connection } from './connection.ts';

/** Maximum connections of a node. */
export const CONNECTIONS = 10;

/** Maximum concurrent statements of a connection. */
export const PIPELINE = 8;

/** How long a statement waits in the queue. Milliseconds. */
const TIMEOUT = 10_000;

/** A pool of connections with several concurrent statements each; when all are busy, callers wait in a queue. */
export class Pool {
  readonly #create: (onLost: (connection: Connection) => void) => Connection;
  /** Number of running statements per connection. */
  readonly #connections = new Map<Connection, number>();
  readonly #queue: (() => void)[] = [];
  #free = CONNECTIONS * PIPELINE;

  constructor(create: (onLost: (connection: Connection) => void) => Connection) {
    this.#create = create;
  }

  /** Runs one statement. Statements of other callers may share the connection. */
  async use<T>(statement: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#wait();
    const connection = this.#pick();
    this.#count(connection, 1);
    try {
      return await statement(connection);
    } finally {
      this.#count(connection, -1);
      const next = this.#queue.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** First in, first out: a slot that becomes free is passed to the caller that has waited longest. */
  async #wait(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(next), 1);
        reject(new StorageError('unavailable', 'PostgreSQL is too slow for this load: no connection became free'));
      }, TIMEOUT);
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#queue.push(next);
    });
  }

  /** The connection with the fewest statements; a new one if all are busy and the pool is not full. */
  #pick(): Connection {
    let best: Connection | undefined;
    let fewest = Infinity;
    for (const [connection, count] of this.#connections) {
      if (count < fewest) [best, fewest] = [connection, count];
    }
    if (best && (fewest === 0 || this.#connections.size === CONNECTIONS)) return best;
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
    this.#connections.clear();
  }
}
