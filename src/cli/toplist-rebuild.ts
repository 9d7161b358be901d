import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import type { ToplistRebuild } from '../storage/stores.ts';
import { askOperator } from './operator.ts';
import { printResult } from './result.ts';

/** `toplist rebuild`. */
export async function rebuildToplist(config: Config, { json = false }): Promise<void> {
  const rebuild = (await askOperator(config, 'POST', '/operator/toplist/rebuild')) as ToplistRebuild;
  const { podcasts, corrected } = rebuild;
  printResult(
    rebuild,
    json,
    () => `${countOf(podcasts, 'podcast')} with subscribers, ${corrected} counted wrong before\n`,
  );
}
