import { invalid } from '../../domain/errors.ts';
import { formatUtc } from '../../domain/timestamp.ts';
import type { Seconds } from '../../domain/types.ts';
import { redactUrl } from '../../domain/url.ts';
import { writeEntries, writePages } from '../../formats/pages.ts';
import { readOptionalObject } from '../../http/body.ts';
import { readBoolean } from '../../http/input.ts';
import { jsonStream } from '../../http/reply.ts';
import type { Feeds } from '../../services/feeds/feeds.ts';
import type { Services } from '../../services/services.ts';
import type { FeedState } from '../../storage/stores.ts';
import type { Handler, RouteContext } from '../route.ts';
import { progressReply } from './progress-reply.ts';

/** A feed in `list`. Times are in UTC, as `2026-01-31T12:00:00Z`. */
export interface ListedFeed {
  /** Without the password, if it has one. */
  url: string;
  /** `''` if unknown. */
  title: string;
  /** A `gone` feed is no longer fetched. */
  state: 'new' | 'ok' | 'failed' | 'gone';
  error: string | null;
  /** In a row. */
  failures: number;
  /** When it was last fetched, and when it will be again. */
  read: string | null;
  next: string | null;
}

/** The state of feed fetching. */
export function createFeedRoutes(
  { feeds }: Pick<Services, 'feeds'>,
  { bodyOptions }: RouteContext,
): Record<'list' | 'update', Handler> {
  return {
    list(event) {
      const pages = listed(feeds.list(), readBoolean(event, 'failed'));
      return jsonStream(writePages(pages, { head: '[', write: writeEntries, separator: ',', end: ']' }));
    },

    async update(event) {
      const { url, all = false } = await readOptionalObject(event, bodyOptions('operator'));
      if (url !== undefined && typeof url !== 'string') throw invalid('"url" must be a string');
      const selection = url !== undefined ? { url } : all === true ? 'all' : 'due';
      return progressReply((progress) => feeds.update(selection, progress));
    },
  };
}

/** One feed in each page. */
async function* listed(states: ReturnType<Feeds['list']>, failed: boolean): AsyncIterable<ListedFeed[]> {
  for await (const state of states) if (!failed || state.error !== undefined) yield [toListed(state)];
}

const toTime = (at: Seconds | undefined): string | null => (at === undefined ? null : formatUtc(at));

const toListed = ({ url, title, error, failures, nextAt, fetchedAt }: FeedState & { title: string }): ListedFeed => ({
  url: redactUrl(url),
  title,
  state: nextAt === undefined ? 'gone' : error !== undefined ? 'failed' : fetchedAt === undefined ? 'new' : 'ok',
  error: error ?? null,
  failures,
  read: toTime(fetchedAt),
  next: toTime(nextAt),
});
