import { createInterface } from 'node:readline';
import type { Config } from '../config.ts';
import { BROKEN_OFF, type Expectation, type Operator, readReply, withOperator } from './operator.ts';
import { createProgress } from './progress.ts';
import { watchSignals } from './signals.ts';

interface LongWork {
  /** In words. */
  what: string;
  path: string;
  body: unknown;
  expectation?: Expectation;
}

type Line = { done: number; total: number } | { report: unknown } | { message: string };

/**
 * One request that is long work, and is answered step by step, with a progress bar. Answers its report; rejects as `askOperator` does, and when a signal says to stop.
 */
export async function followSteps(config: Config, { what, path, body, expectation }: LongWork): Promise<unknown> {
  const signal = watchSignals();
  const bar = createProgress(what);
  const follow = (operator: Operator): Promise<Line | undefined> =>
    readReply(operator, ['POST', path, body], async (reply) => {
      let last: Line | undefined;
      for await (const line of createInterface({ input: reply, signal })) {
        last = JSON.parse(line) as Line;
        if ('done' in last) bar.show(last.done, last.total);
      }
      reply.destroy();
      if (signal.aborted) throw new Error(operator.abandoned);
      return last;
    });
  const last = await withOperator(config, follow, expectation).finally(() => bar.stop());
  if (!last || 'done' in last) throw new Error(BROKEN_OFF);
  if ('message' in last) throw new Error(last.message);
  return last.report;
}
