import { hash } from 'node:crypto';
import type { Seconds, Url } from '../domain/types.ts';
import type { FetchOutcome } from './fetch.ts';
import type { ParsedFeed } from './parse.ts';

/** What is known of how often a feed is fetched. */
interface FeedRhythm {
  /** How often it is fetched while all goes well. */
  intervalSeconds: Seconds;
  /** Failures in a row. */
  failures: number;
}

/** When a feed is fetched next. */
export interface FeedSchedule extends FeedRhythm {
  /** Undefined: never, it is gone. */
  nextAt?: Seconds;
}

const HOUR: Seconds = 3600;
const DAY = 24 * HOUR;
/** The part of an interval by which a fetch may be early or late. */
const JITTER = 0.1;
/** Every feed that is not gone is fetched within it. */
export const LONGEST_WAIT = 3 * DAY;
/** Half an hour and three days, whatever the jitter. */
const SHORTEST = HOUR / 2 / (1 - JITTER);
const LONGEST = LONGEST_WAIT / (1 + JITTER);
/** Where a feed tells no dates. */
const USUAL = 6 * HOUR;
/** A feed is fetched about this often between two of its episodes. */
const FETCHES_PER_EPISODE = 12;
/** The newest episodes say how often new ones come. */
const EPISODES_LOOKED_AT = 10;
/** The interval grows by it with each fetch that finds nothing new: a feed that fell silent is slowly left alone. */
const GROWTH = 1.05;

/**
 * Half an hour to three days, by how often the feed brings episodes and how long the last one is ago. Failures wait
 * half an hour, then twice as long each time; a server that asks for more patience gets it, up to three days. Feeds
 * that were fetched together drift apart, each by a part of its interval that follows from its URL.
 */
export function nextFetch(
  url: Url,
  { intervalSeconds, failures }: FeedRhythm,
  outcome: FetchOutcome,
  now: Seconds,
): FeedSchedule {
  switch (outcome.kind) {
    case 'gone':
      return { intervalSeconds, failures };
    case 'failed': {
      const wait = spread(url, bounded(SHORTEST * 2 ** failures));
      const asked = Math.min(outcome.retryAfter ?? 0, LONGEST_WAIT);
      return { intervalSeconds, failures: failures + 1, nextAt: now + Math.max(wait, asked) };
    }
    default: {
      const wanted = outcome.kind === 'fetched' ? intervalOf(outcome.feed, now) : intervalSeconds * GROWTH;
      const interval = bounded(wanted);
      return { intervalSeconds: interval, failures: 0, nextAt: now + spread(url, interval) };
    }
  }
}

/** How often a feed with these episodes is worth fetching. */
function intervalOf({ episodes }: ParsedFeed, now: Seconds): number {
  const dates = episodes
    .map(({ releasedAt }) => releasedAt)
    .filter((date) => date !== undefined)
    .filter((date) => date <= now)
    .slice(0, EPISODES_LOOKED_AT);
  const [newest] = dates;
  const oldest = dates.at(-1);
  if (newest === undefined || oldest === undefined) return USUAL;
  const gap = dates.length > 1 ? (newest - oldest) / (dates.length - 1) : 0;
  return Math.max(gap, now - newest) / FETCHES_PER_EPISODE;
}

const bounded = (seconds: number): Seconds => Math.round(Math.min(LONGEST, Math.max(SHORTEST, seconds)));

/** Up to a tenth earlier or later, always the same for one URL. */
function spread(url: Url, seconds: Seconds): Seconds {
  const part = hash('sha256', url, 'buffer').readUInt32BE() / 2 ** 32;
  return Math.round(seconds * (1 + JITTER * (2 * part - 1)));
}
