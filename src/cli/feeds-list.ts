import type { Config } from '../config.ts';
import type { ListedFeed } from '../routes/operator/feeds.ts';
import { askOperator } from './operator.ts';
import { printResult } from './result.ts';

/** `feeds list`: a line each, with what is wrong below it. */
export async function listFeeds(config: Config, { failed = false, json = false }): Promise<void> {
  const feeds = (await askOperator(config, 'GET', `/operator/feeds?failed=${failed}`)) as ListedFeed[];
  printResult(feeds, json, () => feeds.map(toText).join(''));
}

function toText({ url, state, error, next }: ListedFeed): string {
  const when = next === null ? 'never again' : `next ${next}`;
  return `${state.padEnd(7)}${when.padEnd(27)}${url}\n${error === null ? '' : `${' '.repeat(7)}${error}\n`}`;
}
