import { createInterface } from 'node:readline';
import { Presets, SingleBar } from 'cli-progress';
import type { Config } from '../config.ts';
import { INCOMPLETE, type Operator, type OperatorOptions, readReply, withOperator } from './operator.ts';
import { watchSignals } from './signals.ts';

interface Progress {
  /** `total` as far as it is known; `records` show progress while `done` stays the same. */
  show(done: number, total: number, records?: number): void;
  stop(): void;
}

/**
 * A progress bar with rate and remaining time on stderr, if that is a terminal. `what` names the work, and the unit if
 * there is only one.
 */
export function createProgress(what: string): Progress {
  if (!process.stderr.isTTY) return { show: () => undefined, stop: () => undefined };
  const format = `${what} {bar} {value} of {total}{records}, {rate}/s, {left} left`;
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic);
  const startedAt = performance.now();
  let isStarted = false;
  return {
    show(done, total, records) {
      const rate = (done * 1000) / Math.max(performance.now() - startedAt, 1);
      const texts = {
        records: records === undefined ? '' : ` (${records.toLocaleString('en')} records)`,
        rate: rate.toLocaleString('en', { maximumSignificantDigits: 2 }),
        left: toTime((total - done) / rate),
      };
      if (!isStarted) bar.start(total, done, texts);
      isStarted = true;
      bar.setTotal(total);
      bar.update(done, texts);
    },
    stop: () => bar.stop(),
  };
}

/** `?` until the rate is known. */
function toTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

interface LongWork {
  /** As in `createProgress`. */
  what: string;
  path: string;
  body: unknown;
  options?: OperatorOptions;
}

type Line = { done: number; total: number; records?: number } | { report: unknown } | { message: string };

/**
 * A command that is one long request with reports of its progress, shown as a progress bar. Returns the last report.
 * Rejects like `send`, or if a signal stops it.
 */
export async function sendWithProgress(config: Config, { what, path, body, options }: LongWork): Promise<unknown> {
  const signal = watchSignals();
  const bar = createProgress(what);
  const follow = (operator: Operator): Promise<Line | undefined> =>
    readReply(operator, ['POST', path, body], async (reply) => {
      let last: Line | undefined;
      for await (const line of createInterface({ input: reply, signal })) {
        last = JSON.parse(line) as Line;
        if ('done' in last) bar.show(last.done, last.total, last.records);
      }
      reply.destroy();
      if (signal.aborted) throw new Error(operator.cancelled);
      return last;
    });
  const last = await withOperator(config, follow, options).finally(() => bar.stop());
  if (!last || 'done' in last) throw new Error(INCOMPLETE);
  if ('message' in last) throw new Error(last.message);
  return last.report;
}
