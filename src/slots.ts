/** Runs tasks: at most `total` at once, and those of one host (or address) one after another. */
export interface Slots {
  run<Result>(host: string, task: () => Promise<Result>): Promise<Result>;
}

export function createSlots(total = Infinity): Slots {
  const lastOf = new Map<string, Promise<unknown>>();
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
    run(host, task) {
      const result = (lastOf.get(host) ?? Promise.resolve()).then(() => runWhenFree(task));
      const settled = result.then(
        () => undefined,
        () => undefined,
      );
      lastOf.set(host, settled);
      void settled.then(() => {
        if (lastOf.get(host) === settled) lastOf.delete(host);
      });
      return result;
    },
  };
}
