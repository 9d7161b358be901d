import { isMainThread, parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import type { Seconds } from './domain/types.ts';

/** Work that would hold up every request, in a thread of its own. */
export interface Thread<Input, Output> {
  /**
   * Rejects with an Error that has the message of what the work threw. Rejects, too, when the thread crashes or takes
   * longer than `within`: then all else that waits for it is rejected as well, and the next call starts a new thread.
   * What is in `transfer` is moved to the thread instead of copied.
   */
  run(input: Input, within?: Seconds, transfer?: ArrayBuffer[]): Promise<Output>;
  /** Ends the thread for good; what it had to do is rejected. */
  close(): Promise<void>;
}

interface Job<Input> {
  id: number;
  input: Input;
}
type Done<Output> = { id: number; output: Output } | { id: number; error: string };

const CLOSING = 'podsync is closing';

/** What `run` rejects with when its time is over. */
export class TookTooLong extends Error {
  constructor(within: Seconds) {
    super(`it took more than ${within} seconds`);
    this.name = 'TookTooLong';
  }
}

/**
 * `module` is the `import.meta.url` of the file that calls `serveThread` with the same role: a build into a single file
 * then works too. The thread starts with the first call, and keeps the process alive only while it works.
 */
export function createThread<Input, Output>(
  module: string,
  role: string,
  resourceLimits: ResourceLimits = {},
): Thread<Input, Output> {
  const waiting = new Map<number, { resolve(output: Output): void; reject(error: Error): void }>();
  let worker: Worker | undefined;
  let jobs = 0;
  let isClosed = false;

  const fail = (thread: Worker, error: Error): void => {
    if (worker !== thread) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const stop = async (error: Error): Promise<void> => {
    const thread = worker;
    if (!thread) return;
    fail(thread, error);
    await thread.terminate();
  };
  const start = (): Worker => {
    const thread = new Worker(new URL(module), { workerData: role, resourceLimits });
    thread.on('message', (done: Done<Output>) => {
      const job = waiting.get(done.id);
      waiting.delete(done.id);
      if (waiting.size === 0) thread.unref();
      if ('error' in done) job?.reject(new Error(done.error));
      else job?.resolve(done.output);
    });
    thread.on('error', (error) => fail(thread, error));
    thread.on('exit', () => fail(thread, new Error('the thread ended before it was done')));
    thread.unref();
    return thread;
  };

  return {
    async run(input, within, transfer = []) {
      if (isClosed) throw new Error(CLOSING);
      const thread = (worker ??= start());
      const id = ++jobs;
      const timer =
        within === undefined ? undefined : setTimeout(() => void stop(new TookTooLong(within)), within * 1000);
      try {
        return await new Promise<Output>((resolve, reject) => {
          thread.postMessage({ id, input } satisfies Job<Input>, transfer); // throws where it cannot be cloned
          waiting.set(id, { resolve, reject });
          thread.ref();
        });
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      isClosed = true;
      await stop(new Error(CLOSING));
    },
  };
}

/** Does the work, in a thread that was started with this role; does nothing anywhere else. */
export function serveThread<Input, Output>(role: string, work: (input: Input) => Output | Promise<Output>): void {
  if (isMainThread || workerData !== role) return;
  const port = parentPort!;
  port.on('message', async ({ id, input }: Job<Input>) => {
    try {
      port.postMessage({ id, output: await work(input) } satisfies Done<Output>);
    } catch (error) {
      port.postMessage({ id, error: error instanceof Error ? error.message : String(error) } satisfies Done<Output>);
    }
  });
}
