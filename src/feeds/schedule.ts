import { hash } from 'node:crypto';
import { LONGEST_WAIT } from '../domain/feed-wait.ts';
import type { Seconds, Url } from '../domain/types.ts';
import type { FetchOutcome } from './fetch.ts';
import type { ParsedFeed } from './parse.ts';

/** The interval and recent failures of a feed. */
interface FetchState {
  /** Interval while fetches succeed. */
  intervalSeconds: Seconds;
  /** Failures in a row. */
  failures: number;
}

/** The same, with the time of the next fetch. */
export interface FeedSchedule extends FetchState {
  /** Undefined if the feed is gone and is never fetched again. */
  nextAt?: Seconds;
}

const HOUR: Seconds = 3600;
/** The fraction of an interval by which a fetch may be early or late. */
const JITTER = 0.1;
/** Half an hour and three days, including jitter. */
const MIN_INTERVAL = HOUR / 2 / (1 - JITTER);
const MAX_INTERVAL = LONGEST_WAIT / (1 + JITTER);
/** For a feed without dates. */
const DEFAULT_INTERVAL = 6 * HOUR;
/** Approximate number of fetches between two episodes. */
const FETCHES_PER_EPISODE = 12;
/** The interval depends on the dates of this many of the newest episodes. */
const SAMPLED_EPISODES = 10;
/**
 * The interval grows by this factor with each fetch that finds nothing new, so inactive feeds are fetched less often.
 */
const GROWTH = 1.05;

/**
 * Decides when to fetch a feed next: after half an hour to three days, depending on how often it has new episodes and
 * on the age of the newest one. After a failure the wait is half an hour, and doubles each time; if the server asks for
 * a longer wait, it gets up to three days. Jitter, derived from the URL, spreads feeds that were fetched together.
 */
export function nextFetch(
  url: Url,
  { intervalSeconds, failures }: FetchState,
  outcome: FetchOutcome,
  now: Seconds,
): FeedSchedule {
  switch (outcome.kind) {
    case 'gone':
      return { intervalSeconds, failures };
    case 'failed': {
      const wait = withJitter(url, clamp(MIN_INTERVAL * 2 ** failures));
      const requested = Math.min(outcome.retryAfter ?? 0, LONGEST_WAIT);
      return { intervalSeconds, failures: failures + 1, nextAt: now + Math.max(wait, requested) };
    }
    default: {
      const wanted = outcome.kind === 'fetched' ? intervalOf(outcome.feed, now) : intervalSeconds * GROWTH;
      const interval = clamp(wanted);
      return { intervalSeconds: interval, failures: 0, nextAt: now + withJitter(url, interval) };
    }
  }
}

/** The interval for a feed with these episodes. */
function intervalOf({ episodes }: ParsedFeed, now: Seconds): number {
  const dates = episodes
    .map(({ releasedAt }) => releasedAt)
    .filter((date) => date !== undefined)
    .filter((date) => date <= now)
    .slice(0, SAMPLED_EPISODES);
  const [newest] = dates;
  const oldest = dates.at(-1);
  if (newest === undefined || oldest === undefined) return DEFAULT_INTERVAL;
  const gap = dates.length > 1 ? (newest - oldest) / (dates.length - 1) : 0;
  return Math.max(gap, now - newest) / FETCHES_PER_EPISODE;
}

const clamp = (seconds: number): Seconds => Math.round(Math.min(MAX_INTERVAL, Math.max(MIN_INTERVAL, seconds)));

/** Up to a tenth earlier or later, but always the same for one URL. */
function withJitter(url: Url, seconds: Seconds): Seconds {
  const part = hash('sha256', url, 'buffer').readUInt32BE() / 2 ** 32;
  return Math.round(seconds * (1 + JITTER * (2 * part - 1)));
}
