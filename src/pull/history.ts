import { hash } from 'node:crypto';
import { inBatches } from '../batches.ts';
import type { ImportChunk } from '../domain/import-chunk.ts';
import { parseTimestamp } from '../domain/timestamp.ts';
import type { Seconds } from '../domain/types.ts';
import { redactUrl } from '../domain/url.ts';

/** One response with episode actions (spec 4.8); `timestamp` is undefined unless the server sent a number. */
export interface ActionPage {
  actions: unknown[];
  timestamp: number | undefined;
}

interface HistorySource {
  getPage(query: { since: number; podcast?: string }): Promise<ActionPage>;
  /** Podcasts that may have actions, besides those in the actions themselves. */
  podcasts: Iterable<string>;
  /** Called with a sentence about actions that the server may have withheld. */
  onGap(gap: string): void;
}

/** Servers that limit their responses do so at a thousand actions or more: a shorter response is complete. */
const MAY_BE_TRUNCATED = 500;
/** Give up after this many responses in a row without new actions. */
const MAX_IDLE_PAGES = 4;

/**
 * All episode actions of an account, each once. Servers differ: some truncate responses silently, some compare `since`
 * with the action's own time, some respond with the time of the last returned action, others with the current time. If
 * the order of the actions leaves doubts, each podcast is requested separately as well, unless the server ignores that.
 */
export async function* readHistory({ getPage, podcasts, onGap }: HistorySource): AsyncIterable<unknown[]> {
  const seen = new Set<string>();
  const knownPodcasts = new Set(podcasts);
  /** Podcasts whose actions may be incomplete, with the length of the response; undefined for the whole account. */
  const doubtful = new Map<string | undefined, number>();
  let ignoresPodcast = false;

  const filterNew = (actions: readonly unknown[]): unknown[] =>
    actions.filter((action) => {
      const digest = hash('sha1', JSON.stringify(action), 'base64');
      if (seen.has(digest)) return false;
      seen.add(digest);
      const podcast = podcastOf(action);
      if (podcast !== undefined) knownPodcasts.add(podcast);
      return true;
    });

  async function* readPages(podcast?: string): AsyncIterable<unknown[]> {
    let since = 0;
    for (let idle = 0; idle < MAX_IDLE_PAGES;) {
      const page = await getPage({ since, ...(podcast !== undefined && { podcast }) });
      const added = filterNew(page.actions);
      if (added.length > 0) yield added;
      if (podcast !== undefined) ignoresPodcast ||= new Set(page.actions.map(podcastOf)).size > 1;
      if (page.actions.length < MAY_BE_TRUNCATED || ignoresPodcast) return;

      const times = timesOf(page.actions);
      const isSorted =
        times.length === page.actions.length && times.every((at, index) => index === 0 || times[index - 1]! <= at);
      const next = nextSince(page.timestamp, times, since);
      if (!isSorted || next === since + 1) {
        doubtful.set(podcast, Math.max(page.actions.length, doubtful.get(podcast) ?? 0));
      }
      idle = added.length > 0 ? 0 : idle + 1;
      since = next;
    }
  }

  yield* readPages();
  const limit = doubtful.get(undefined);
  if (limit === undefined) return;
  for (const podcast of knownPodcasts) {
    yield* readPages(podcast);
    if (!ignoresPodcast) continue;
    onGap(`episode actions: the server returned ${limit} at once, which may not be all`);
    return;
  }
  for (const [podcast, count] of doubtful) {
    if (podcast === undefined || count < limit || knownPodcasts.size === 1) continue;
    onGap(`episode actions of ${redactUrl(podcast)}: the server returned ${count} at once, which may not be all`);
  }
}

/** Actions in one chunk of an import. */
const CHUNK = 1000;

/** Splits actions into the chunks of an import. */
export function* toChunks(actions: readonly unknown[]): Iterable<ImportChunk> {
  for (const batch of inBatches(actions, CHUNK)) yield { kind: 'actions', actions: batch };
}

function podcastOf(action: unknown): string | undefined {
  const podcast = (action as { podcast?: unknown } | null)?.podcast;
  return typeof podcast === 'string' && podcast !== '' ? podcast : undefined;
}

/** The actions' own times; actions without a time are left out. */
const timesOf = (actions: readonly unknown[]): Seconds[] =>
  actions.flatMap((action) => {
    try {
      return parseTimestamp((action as { timestamp?: unknown } | null)?.timestamp);
    } catch {
      return [];
    }
  });

/**
 * The next `since`: the time that the response certainly covers, whichever time the server compares `since` with; minus
 * one second, in case the server returns only actions later than `since`. A second with more actions than fit into one
 * response is skipped.
 */
function nextSince(timestamp: number | undefined, times: readonly Seconds[], since: number): number {
  const reported = timestamp !== undefined && timestamp > since ? timestamp : Infinity;
  const newest = times.reduce((latest, at) => Math.max(latest, at), -1);
  // If all actions are older than `since`, the server does not compare it with the actions' own time.
  const covered = newest < since ? reported : Math.min(newest, reported);
  return Math.max(since + 1, covered === Infinity ? 0 : covered - 1);
}
