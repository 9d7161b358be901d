import { constants } from 'node:os';

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP (a closed terminal). A second one ends the process at once, with the
 * exit code that shells use for a signal.
 */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(128 + constants.signals[signal]);
        isStopping = true;
        resolve();
      });
    }
  });
}

/** For long work that can be cancelled: aborts at the first signal; a second one ends the process at once. */
export function watchSignals(): AbortSignal {
  const stop = new AbortController();
  void untilSignal().then(() => stop.abort(new Error('stopped')));
  return stop.signal;
}
