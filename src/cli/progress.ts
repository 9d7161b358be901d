import { Presets, SingleBar } from 'cli-progress';

interface Progress {
  /** How far it is; `total` as far as is known by now. */
  show(done: number, total: number): void;
  stop(): void;
}

/**
 * A bar with rate and remaining time on stderr, for long work; nothing where that is no terminal. `what` is the work, in
 * words.
 */
export function createProgress(what: string): Progress {
  if (!process.stderr.isTTY) return { show: () => undefined, stop: () => undefined };
  const format = `${what} {bar} {value} of {total}, {rate} a second, {left} left`;
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic);
  const startedAt = performance.now();
  let isStarted = false;
  return {
    show(done, total) {
      const rate = (done * 1000) / Math.max(performance.now() - startedAt, 1);
      const texts = { rate: Math.round(rate), left: toTime((total - done) / rate) };
      if (!isStarted) bar.start(total, done, texts);
      isStarted = true;
      bar.setTotal(total);
      bar.update(done, texts);
    },
    stop: () => bar.stop(),
  };
}

/** Not known at the beginning. */
function toTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
