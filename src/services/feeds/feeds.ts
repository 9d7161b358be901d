import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Seconds, Url } from '../../domain/types.ts';
import { redactUrl, sanitizeFeedUrl, type UrlRules } from '../../domain/url.ts';
import type { Fetcher, FetchOutcome } from '../../feeds/fetch.ts';
import { nextFetch } from '../../feeds/schedule.ts';
import type { FeedResult, FeedState, Log, PodcastStore } from '../../storage/stores.ts';
import { createFeedMoves, type Fetched } from './feed-moves.ts';

/** Feeds processed at once: more than the fetcher runs, because those of one host wait for each other. */
const CONCURRENCY = 16;
/**
 * How many of these may be of one host: one is being fetched and one is next. The others are claimed later, so that a slow
 * host with many feeds does not delay those of other hosts.
 */
const PER_HOST = 2;
/**
 * Due feeds that `update` claims at once: those of a process that is killed wait until their lease ends. Of one host it
 * claims no more than it processes, so that no lease ends while its feed waits for a slow host.
 */
const CLAIMED = 100;
/** A feed that was claimed this long ago and has not been stored since may be claimed again. */
const LEASE: Seconds = 900;
/** How often to check for due feeds. */
const POLL_INTERVAL: Seconds = 30;
/** The same after a fetch. Not zero: a storage may have to scan all feeds to find them. */
const BUSY_POLL_INTERVAL: Seconds = 0.1;

/** Which feeds to fetch: one, all except deleted ones, or those that are due. */
type Selection = { url: string } | 'all' | 'due';

/** One iterator that all tasks share, so that each feed is fetched once. */
type Selected = IterableIterator<FeedState> | AsyncIterableIterator<FeedState>;

export interface FeedReport {
  /** How many were fetched, including failures. */
  tried: number;
  /** Passwords in addresses are removed. */
  failed: { url: string; error: string }[];
}

export interface FeedProblem {
  error: string;
  /** Undefined: never. */
  fetchedAt: Seconds | undefined;
}

export interface Feeds {
  /** By URL, with their titles. */
  list(): AsyncIterable<FeedState & { title: string }>;
  /** What is wrong with a feed, in a sentence, and when it was last fetched; undefined if it is fine. */
  problem(url: Url): Promise<FeedProblem | undefined>;
  /**
   * Fetches feeds now; calls `progress` after each. The report contains the errors. Throws `missing` for an unknown feed,
   * `forbidden` if fetching is disabled.
   */
  update(selection: Selection, progress?: (done: number, total: number) => void): Promise<FeedReport>;
  /** Starts to fetch due feeds in the background. Does nothing if fetching is disabled. */
  start(): void;
  /** Aborts running fetches; resolves when they have ended. */
  stop(): Promise<void>;
}

interface FeedOptions {
  /** Undefined: fetching is disabled. */
  fetcher: Fetcher | undefined;
  now: Clock;
  rules: UrlRules;
  log: Log;
}

export function createFeeds(podcasts: PodcastStore, { fetcher, now, rules, log }: FeedOptions): Feeds {
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const moves = fetcher && createFeedMoves(podcasts, fetcher);

  /** Fetches one feed and stores the result. Returns the error, if there was one. */
  const update = async (state: FeedState): Promise<string | undefined> => {
    const outcome = await moves!.fetch(state);
    if (outcome.kind === 'failed' && stopping.signal.aborted) return 'aborted, because podsync is stopping';
    const result = toResult(state, outcome, now());
    await podcasts.record(state.url, result);
    if (outcome.kind === 'fetched' && outcome.feed.guid !== null) await moves!.mergeByGuid(outcome.feed.guid);
    return result.state.error;
  };
  const track = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
    return tracked;
  };

  /** The storage failed. */
  const warnOf = (error: Error): void =>
    log('warn', `feeds cannot be updated now; podsync will try again later: ${error.message}`);

  const updateDue = async (): Promise<void> => {
    const active = new Map<Promise<unknown>, Url>();
    while (!stopping.signal.aborted) {
      const hosts = { perHost: PER_HOST, active: [...active.values()] };
      const due = await podcasts.claimDue(CONCURRENCY - active.size, LEASE, hosts).catch(warnOf);
      for (const state of due ?? []) {
        const work = update(state)
          .catch(warnOf)
          .finally(() => active.delete(work));
        active.set(work, state.url);
      }
      const isBusy = active.size > 0;
      if (isBusy) await Promise.race(active.keys());
      await pause(isBusy ? BUSY_POLL_INTERVAL : POLL_INTERVAL, stopping.signal);
    }
    await Promise.all(active.keys());
  };

  /** Up to `limit` due feeds, the next ones claimed when those before are being fetched. */
  async function* claimDue(limit: number): AsyncGenerator<FeedState> {
    for (let left = limit; left > 0 && !stopping.signal.aborted;) {
      const claimed = await podcasts.claimDue(Math.min(left, CLAIMED), LEASE, { perHost: CONCURRENCY, active: [] });
      if (claimed.length === 0) return;
      yield* claimed;
      left -= claimed.length;
    }
  }

  /** `total` includes due feeds that another process is fetching. */
  const select = async (selection: Selection): Promise<{ states: Selected; total: number }> => {
    if (selection === 'due') {
      const { due } = await podcasts.countFeeds();
      return { states: claimDue(due), total: due };
    }
    if (selection === 'all') {
      const all = (await podcasts.feeds()).filter(({ nextAt }) => nextAt !== undefined);
      return { states: all.values(), total: all.length };
    }
    const state = await podcasts.feed(sanitizeFeedUrl(selection.url, rules));
    if (!state) throw new Refusal('missing', 'no feed has this address; `podsync feeds list` shows all of them');
    return { states: [state].values(), total: 1 };
  };

  return {
    async *list() {
      for (const state of await podcasts.feeds()) {
        const [podcast] = await podcasts.find([state.url]);
        yield { ...state, title: podcast?.title ?? '' };
      }
    },

    async problem(url) {
      const { error, fetchedAt } = (await podcasts.feed(url)) ?? {};
      return error === undefined ? undefined : { error, fetchedAt };
    },

    async update(selection, progress = () => undefined) {
      if (!fetcher) throw new Refusal('forbidden', 'podsync runs with --no-fetch, so it makes no connections');
      const { states, total } = await select(selection);
      const report: FeedReport = { tried: 0, failed: [] };
      progress(0, total);
      const work = async (): Promise<void> => {
        for await (const state of states) {
          const error = await update(state).catch(({ message }: Error) => message);
          if (error !== undefined) report.failed.push({ url: redactUrl(state.url), error });
          progress(++report.tried, total);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, () => track(work())));
      return report;
    },

    start() {
      if (fetcher) void track(updateDue());
    },

    async stop() {
      stopping.abort();
      await fetcher?.close();
      await Promise.allSettled(running);
    },
  };
}

/** The state to store for an outcome. Values that the outcome does not contain stay. */
function toResult(state: FeedState, outcome: FetchOutcome | Fetched, now: Seconds): FeedResult {
  const { nextAt: _nextAt, error: _error, ...before } = state;
  const next = { url: state.url, ...nextFetch(state.url, state, outcome, now) };
  switch (outcome.kind) {
    case 'gone':
      return { state: { ...before, ...next, error: 'the feed was deleted (410 Gone)' } };
    case 'failed':
      return { state: { ...before, ...next, error: outcome.message } };
    case 'unchanged': {
      const { etag: _etag, lastModified: _lastModified, ...withoutValidators } = before;
      const { movedTo = state.apart } = outcome;
      // Whether it is the same podcast at a new address is checked the next time, when the whole feed is fetched.
      const kept = movedTo === state.apart ? before : withoutValidators;
      return { state: { ...kept, ...next, fetchedAt: now } };
    }
    case 'fetched': {
      const { kind: _kind, feed, movedTo, ...rest } = outcome;
      const { episodes, guid, movedTo: _announced, ...podcast } = feed;
      const content = { podcast, episodes };
      const read = { ...next, ...rest, ...(guid !== null && { guid }), fetchedAt: now };
      return { state: read, content, ...(movedTo !== undefined && { movedTo }) };
    }
  }
}

/** Resolves after this long, or when the signal aborts. */
const pause = (seconds: Seconds, signal: AbortSignal): Promise<void> =>
  setTimeout(seconds * 1000, undefined, { signal }).catch(() => undefined);
