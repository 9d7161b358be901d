import { StorageError } from '../../src/plugin.ts';
import type { Connection } from './connection.ts';

/** Connections of one node. */
export const CONNECTIONS = 10;

/** Statements that a connection may have under way at once. */
export const PIPELINE = 8;

/** Milliseconds that a statement waits in line before it is sent. */
const TIMEOUT = 10_000;

/** Up to a number of connections, each with several statements under way; when all are busy, callers wait in line. */
export class Pool {
  readonly #create: (onLost: (connection: Connection) => void) => Connection;
  /** How many statements each has under way. */
  readonly #connections = new Map<Connection, number>();
  readonly #queue: (() => void)[] = [];
  #free = CONNECTIONS * PIPELINE;

  constructor(create: (onLost: (connection: Connection) => void) => Connection) {
    this.#create = create;
  }

  /** Runs one statement: what follows another one on the same connection is of another caller. */
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

  /** The caller that waits longest gets the place that becomes free; no other can come between. */
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

  /** The connection with the fewest statements; a new one where all have some. */
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

  /** When no statement is under way any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map((connection) => connection.end()));
    this.#connections.clear();
  }
}
