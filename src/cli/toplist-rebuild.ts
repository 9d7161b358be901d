import type { Config } from '../config.ts';
import type { ToplistRebuild } from '../storage/contract.ts';
import { askOperator } from './operator.ts';

/** `toplist rebuild`. */
export async function rebuildToplist(config: Config, { json = false }): Promise<void> {
  const rebuild = (await askOperator(config, 'POST', '/operator/toplist/rebuild')) as ToplistRebuild;
  const { podcasts, corrected } = rebuild;
  process.stdout.write(
    json
      ? `${JSON.stringify(rebuild)}\n`
      : `${podcasts} podcasts with subscribers, ${corrected} counted wrong before\n`,
  );
}
