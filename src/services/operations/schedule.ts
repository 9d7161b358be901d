/** Work in the background of a server. */
export interface Schedule {
  /** Runs it immediately, and again after each interval, in the background. */
  start(): void;
  /** Resolves when it is no longer running. */
  stop(): Promise<void>;
}

/** `work` must not reject. It never runs twice at the same time. `interval` in milliseconds. */
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
