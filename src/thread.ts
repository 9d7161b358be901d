import { isMainThread, parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import type { Seconds } from './domain/types.ts';

/** A worker thread for work that would block the event loop. */
export interface Thread<Input, Output> {
  /**
   * Runs the work. If it throws, rejects with an Error that has the same message. If the thread crashes, or the work
   * takes longer than `timeout`, all pending calls are rejected, and the next call starts a new thread.
   * Buffers in `transfer` are moved to the thread instead of copied.
   */
  run(input: Input, timeout?: Seconds, transfer?: ArrayBuffer[]): Promise<Output>;
  /** Ends the thread for good and rejects all pending calls. */
  close(): Promise<void>;
}

interface Job<Input> {
  id: number;
  input: Input;
}
type JobResult<Output> = { id: number; output: Output } | { id: number; error: string };

const CLOSING = 'podsync is closing';

/** `run` rejects with it after its timeout. */
export class ThreadTimeoutError extends Error {
  constructor(timeout: Seconds) {
    super(`it took more than ${timeout} seconds`);
    this.name = 'ThreadTimeoutError';
  }
}

/**
 * `module` is the `import.meta.url` of the file that calls `serveThread` with the same role, so a build into a single
 * file works, too. The thread starts at the first call, and keeps the process alive only while it works.
 */
export function createThread<Input, Output>(
  module: string,
  role: string,
  resourceLimits: ResourceLimits = {},
): Thread<Input, Output> {
  const pending = new Map<number, { resolve(output: Output): void; reject(error: Error): void }>();
  let worker: Worker | undefined;
  let jobs = 0;
  let isClosed = false;

  const fail = (thread: Worker, error: Error): void => {
    if (worker !== thread) return;
    worker = undefined;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const stop = async (error: Error): Promise<void> => {
    const thread = worker;
    if (!thread) return;
    fail(thread, error);
    await thread.terminate();
  };
  const start = (): Worker => {
    const thread = new Worker(new URL(module), { workerData: role, resourceLimits });
    thread.on('message', (result: JobResult<Output>) => {
      const job = pending.get(result.id);
      pending.delete(result.id);
      if (pending.size === 0) thread.unref();
      if ('error' in result) job?.reject(new Error(result.error));
      else job?.resolve(result.output);
    });
    // A result that this thread cannot read, such as one nested too deeply for its stack, which is smaller.
    thread.on('messageerror', (error) => void stop(error));
    thread.on('error', (error) => fail(thread, error));
    thread.on('exit', () => fail(thread, new Error('the worker thread exited unexpectedly')));
    thread.unref();
    return thread;
  };

  return {
    async run(input, timeout, transfer = []) {
      if (isClosed) throw new Error(CLOSING);
      const thread = (worker ??= start());
      const id = ++jobs;
      const timer =
        timeout === undefined
          ? undefined
          : setTimeout(() => void stop(new ThreadTimeoutError(timeout)), timeout * 1000);
      try {
        return await new Promise<Output>((resolve, reject) => {
          thread.postMessage({ id, input } satisfies Job<Input>, transfer); // throws if the input cannot be cloned
          pending.set(id, { resolve, reject });
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

/** Runs `work` for each input, in a thread that was started with this role. Does nothing anywhere else. */
export function serveThread<Input, Output>(role: string, work: (input: Input) => Output | Promise<Output>): void {
  if (isMainThread || workerData !== role) return;
  const port = parentPort!;
  port.on('message', async ({ id, input }: Job<Input>) => {
    try {
      port.postMessage({ id, output: await work(input) } satisfies JobResult<Output>);
    } catch (error) {
      port.postMessage({
        id,
        error: error instanceof Error ? error.message : String(error),
      } satisfies JobResult<Output>);
    }
  });
}
