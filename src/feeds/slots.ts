import { Turns } from '../turns.ts';

/** Runs tasks: at most `total` at once, and those of one host one after another. */
interface Slots {
  run<Result>(host: string, task: () => Promise<Result>): Promise<Result>;
}

export function createSlots(total: number): Slots {
  const turns = new Turns<string>();
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
    // The host first: whoever has a slot never waits for a host that another one keeps busy.
    run: (host, task) => turns.take(host, () => runWhenFree(task)),
  };
}
