/** Work in the background of a server. */
export interface Schedule {
  /** Runs it now and then at each interval, in the background. */
  start(): void;
  /** Resolves when it is no longer running. */
  stop(): Promise<void>;
}

/** Work that never rejects, and never runs twice at once. `interval` in milliseconds. */
export function createSchedule(work: () => Promise<void>, interval: number): Schedule {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = (): void => {
    running = running.then(work);
  };
  return {
    start() {
      next();
      timer = setInterval(next, interval).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
