import type { Config } from '../config.ts';
import { followOperator } from './operator.ts';
import { createProgress, type Step } from './progress.ts';

/**
 * One request that is long work, with a progress bar. `what` is the work, in words. Answers its report; rejects as
 * `askOperator` does.
 */
export async function followSteps(config: Config, what: string, path: string, body: unknown): Promise<unknown> {
  const bar = createProgress(what);
  const last = (await followOperator(config, path, body, (step) => {
    if ('done' in (step as object)) bar.show(step as Step);
  }).finally(() => bar.stop())) as Step | { report: unknown } | { message: string } | undefined;
  if (!last || 'done' in last) throw new Error('the server stopped before it was done; run this again');
  if ('message' in last) throw new Error(last.message);
  return last.report;
}
