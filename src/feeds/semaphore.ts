import { KeyedMutex } from '../mutex.ts';

/** Runs at most `total` tasks at once, and at most one per host. */
interface HostSemaphore {
  run<Result>(host: string, task: () => Promise<Result>): Promise<Result>;
}

export function createHostSemaphore(total: number): HostSemaphore {
  const mutex = new KeyedMutex<string>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function runWhenFree<Result>(task: () => Promise<Result>): Promise<Result> {
    if (busy < total) busy++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else busy--;
    }
  }

  return {
    // The host first, so that a task does not occupy the semaphore while it waits for its host.
    run: (host, task) => mutex.run(host, () => runWhenFree(task)),
  };
}
