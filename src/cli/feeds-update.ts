import type { Config } from '../config.ts';
import type { FeedReport } from '../services/feeds.ts';
import { followSteps } from './steps.ts';

export interface UpdateChoice {
  url?: string;
  all?: boolean;
  json?: boolean;
}

/** `feeds update`. Rejects when the feed that was named cannot be read, or nothing may be fetched. */
export async function updateFeeds(config: Config, { url, all, json }: UpdateChoice): Promise<void> {
  const report = (await followSteps(config, 'reading feeds', '/operator/feeds/update', { url, all })) as FeedReport;
  tell(report, json);
  const [named] = url === undefined ? [] : report.failed;
  if (named) throw new Error(`this feed could not be read: ${named.error}`);
}

function tell({ read, failed }: FeedReport, json = false): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ read, failed })}\n`);
    return;
  }
  process.stdout.write(`${read} ${read === 1 ? 'feed' : 'feeds'} read, ${failed.length} failed\n`);
  for (const { url, error } of failed) process.stdout.write(`${url}: ${error}\n`);
}
