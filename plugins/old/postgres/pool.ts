import { StorageError } from '../../../src/old-plugin.ts';
import type { Connection } from './connection.ts';

/** Milliseconds that somebody waits in line for a connection. */
const PATIENCE = 10_000;

/** Up to a number of connections, which are used again; when all are taken, callers wait in line. */
export class Pool {
  readonly #create: (onLost: (connection: Connection) => void) => Connection;
  readonly #idle: Connection[] = [];
  readonly #queue: (() => void)[] = [];
  readonly #steps = new Set<Promise<unknown>>();
  #free: number;
  #isClosed = false;

  constructor(size: number, create: (onLost: (connection: Connection) => void) => Connection) {
    this.#free = size;
    this.#create = create;
  }

  /** Runs a step with a connection that nobody else has meanwhile. */
  use<T>(step: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StorageError('unavailable', 'the storage is closed'));
    const run = this.#run(step);
    this.#steps.add(run);
    const forget = (): void => void this.#steps.delete(run);
    run.then(forget, forget);
    return run;
  }

  async #run<T>(step: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#turn();
    const connection = this.#idle.pop() ?? this.#create((lost) => this.#forget(lost));
    try {
      return await step(connection);
    } finally {
      if (connection.isUsable) this.#idle.push(connection);
      else void connection.end();
      const next = this.#queue.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Whoever waited in line gets the place of the one who left; nobody else can come between. */
  async #turn(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(next), 1);
        reject(
          new StorageError('unavailable', 'PostgreSQL is too slow for what is asked of it: no connection got free'),
        );
      }, PATIENCE);
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#queue.push(next);
    });
  }

  #forget(lost: Connection): void {
    const at = this.#idle.indexOf(lost);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    void lost.end();
  }

  /** Waits for all steps, also those in line. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#steps);
    await Promise.all(this.#idle.splice(0).map((connection) => connection.end()));
  }
}
