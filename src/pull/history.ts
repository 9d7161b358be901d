import { hash } from 'node:crypto';
import { parseTimestamp } from '../domain/timestamp.ts';
import type { Seconds } from '../domain/types.ts';

/** An answer to a question for episode actions (spec 4.8); `timestamp` undefined where it has none that is a number. */
export interface HistoryPage {
  actions: unknown[];
  timestamp: number | undefined;
}

export interface History {
  ask(query: { since: number; podcast?: string }): Promise<HistoryPage>;
  /** Podcasts that there may be actions of, besides those that are met on the way. */
  podcasts: Iterable<string>;
  /** Called with a sentence on what the server may have kept back. */
  tell(gap: string): void;
}

/** Servers that limit their answers do so at a thousand actions or more: a shorter answer is whole. */
const MAY_BE_CUT = 500;
/** Answers in a row that bring nothing new, before it is taken that there is nothing. */
const PATIENCE = 4;

/**
 * All episode actions of an account, each once. Nothing is taken for granted: some servers cut what they answer without
 * a word, some take `since` for the action's own time, and some answer with the time of the last action delivered,
 * others with now. Where the order leaves room for doubt, each podcast is asked for once more by itself.
 */
export async function* readHistory({ ask, podcasts, tell }: History): AsyncIterable<unknown[]> {
  const seen = new Set<string>();
  const met = new Set(podcasts);
  /** Where something may have been kept back, and how long the answer was. The account as a whole is undefined. */
  const doubtful = new Map<string | undefined, number>();

  const sift = (actions: readonly unknown[]): unknown[] =>
    actions.filter((action) => {
      const digest = hash('sha1', JSON.stringify(action), 'base64');
      if (seen.has(digest)) return false;
      seen.add(digest);
      const podcast = (action as { podcast?: unknown } | null)?.podcast;
      if (typeof podcast === 'string' && podcast !== '') met.add(podcast);
      return true;
    });

  async function* follow(podcast?: string): AsyncIterable<unknown[]> {
    let since = 0;
    for (let idle = 0; idle < PATIENCE;) {
      const page = await ask({ since, ...(podcast !== undefined && { podcast }) });
      const fresh = sift(page.actions);
      if (fresh.length > 0) yield fresh;
      if (page.actions.length < MAY_BE_CUT) return;

      const times = timesOf(page.actions);
      const isSorted =
        times.length === page.actions.length && times.every((at, index) => index === 0 || times[index - 1]! <= at);
      const next = nextSince(page.timestamp, times, since);
      if (!isSorted || next === since + 1) {
        doubtful.set(podcast, Math.max(page.actions.length, doubtful.get(podcast) ?? 0));
      }
      idle = fresh.length > 0 ? 0 : idle + 1;
      since = next;
    }
  }

  yield* follow();
  const cut = doubtful.get(undefined);
  if (cut === undefined) return;
  for (const podcast of met) yield* follow(podcast);
  for (const [podcast, count] of doubtful) {
    if (podcast === undefined || count < cut || met.size === 1) continue;
    tell(`episode actions of ${podcast}: ${count} come at once, which may not be all`);
  }
}

/** The actions' own times, of those that have one. */
const timesOf = (actions: readonly unknown[]): Seconds[] =>
  actions.flatMap((action) => {
    try {
      return parseTimestamp((action as { timestamp?: unknown } | null)?.timestamp);
    } catch {
      return [];
    }
  });

/**
 * Where to go on: as far as the answer reaches whichever time the server goes by, and a second back, in case it means
 * "later than". A second with more actions than an answer takes is stepped over.
 */
function nextSince(timestamp: number | undefined, times: readonly Seconds[], since: number): number {
  const told = timestamp !== undefined && timestamp > since ? timestamp : Infinity;
  const newest = times.reduce((most, at) => Math.max(most, at), -1);
  // All of it is older than what was asked for: the server does not go by the actions' own time.
  const reach = newest < since ? told : Math.min(newest, told);
  return Math.max(since + 1, reach === Infinity ? 0 : reach - 1);
}
