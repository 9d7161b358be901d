import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import type { FeedReport } from '../services/feeds.ts';
import { printResult } from './result.ts';
import { followSteps } from './steps.ts';

interface UpdateOptions {
  url?: string;
  all?: boolean;
  json?: boolean;
}

/** `feeds update`. Rejects when the feed that was named cannot be read, or nothing may be fetched. */
export async function updateFeeds(config: Config, { url, all, json }: UpdateOptions): Promise<void> {
  const work = { what: 'reading feeds', path: '/operator/feeds/update', body: { url, all } };
  const report = (await followSteps(config, work)) as FeedReport;
  printResult(report, json, () => toText(report));
  const [named] = url === undefined ? [] : report.failed;
  if (named) throw new Error(`this feed could not be read: ${named.error}`);
}

function toText({ tried, failed }: FeedReport): string {
  const lines = failed.map(({ url, error }) => `${url}: ${error}\n`);
  return `${countOf(tried, 'feed')} tried, ${failed.length} failed\n${lines.join('')}`;
}
