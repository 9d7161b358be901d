import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import type { ListedFeed } from '../routes/operator/feeds.ts';
import type { FeedReport } from '../services/feeds/feeds.ts';
import type { ToplistRebuild } from '../storage/stores.ts';
import { sendOnce } from './operator.ts';
import { type Cell, messages, printResult, toTable } from './output.ts';
import { sendWithProgress } from './progress.ts';

/** `feeds list`: one line for each feed. */
export async function listFeeds(config: Config, { failed = false, json = false }): Promise<void> {
  const feeds = (await sendOnce(config, 'GET', `/operator/feeds?failed=${failed}`)) as ListedFeed[];
  if (!json && feeds.length === 0) return messages.info(failed ? 'No feed has failed' : 'No feeds yet');
  printResult(feeds, json, () => toTable(feeds.map(toRow), ['STATE', 'NEXT UPDATE', 'TITLE', 'ADDRESS', 'ERROR']));
}

const STYLES = { new: 'dim', ok: 'green', failed: 'red', gone: 'red' } as const;
/** Maximum length of titles, in characters. */
const MAX_TITLE = 40;

function toRow({ state, next, title, url, error }: ListedFeed): Cell[] {
  const short = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…` : title;
  return [[state, STYLES[state]], next ?? 'never', short || null, url, error ?? ''];
}

interface UpdateOptions {
  url?: string;
  all?: boolean;
  json?: boolean;
}

/** `feeds update`. Rejects if the feed given by --url cannot be fetched, or if fetching is disabled. */
export async function updateFeeds(config: Config, { url, all, json }: UpdateOptions): Promise<void> {
  const work = { what: 'reading feeds', path: '/operator/feeds/update', body: { url, all } };
  const report = (await sendWithProgress(config, work)) as FeedReport;
  const [failed] = url === undefined ? [] : report.failed;
  if (json || !failed) printResult(report, json, () => toText(report));
  if (failed) throw new Error(`this feed could not be read: ${failed.error}`);
}

function toText({ tried, failed }: FeedReport): string {
  const lines = failed.map(({ url, error }) => `${url}: ${error}\n`);
  return `${countOf(tried, 'feed')} tried, ${failed.length} failed\n${lines.join('')}`;
}

/** `toplist rebuild`. */
export async function rebuildToplist(config: Config, { json = false }): Promise<void> {
  const rebuild = (await sendOnce(config, 'POST', '/operator/toplist/rebuild')) as ToplistRebuild;
  const { podcasts, corrected } = rebuild;
  const summary = `${countOf(podcasts, 'podcast')} with subscribers, ${countOf(corrected, 'count')} corrected\n`;
  printResult(rebuild, json, () => summary);
}
