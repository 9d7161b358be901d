import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../../src/feeds/fetch.ts';
import { type FeedSchedule, nextFetch } from '../../src/feeds/schedule.ts';
import { episodeInfo, parsedFeed } from '../podcasts.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const NOW = 1_700_000_000;
const FEED_URL = 'http://feeds.test/';

/** The initial state of a feed. */
const NEW: FeedSchedule = { intervalSeconds: 0, failures: 0, nextAt: NOW };

/** A feed whose episodes were released so many seconds ago. */
const fetched = (...ages: number[]): FetchOutcome => ({
  kind: 'fetched',
  feed: parsedFeed({
    episodes: ages.map((age) => episodeInfo({ url: `http://media.test/${age}`, releasedAt: NOW - age })),
  }),
});
const every = (gap: number, count = 20): FetchOutcome => fetched(...Array.from({ length: count }, (_, at) => at * gap));
const wait = (outcome: FetchOutcome, state = NEW, url = FEED_URL): number =>
  nextFetch(url, state, outcome, NOW).nextAt! - NOW;
const failed = (retryAfter?: number): FetchOutcome => ({
  kind: 'failed',
  message: 'no',
  ...(retryAfter !== undefined && { retryAfter }),
});

it.each<[string, FetchOutcome, number, number]>([
  ['ten minutes', every(600), 0.5 * HOUR, 0.7 * HOUR],
  ['six hours', every(6 * HOUR), 0.5 * HOUR, 0.7 * HOUR],
  ['a day', every(DAY), 1.8 * HOUR, 2.2 * HOUR],
  ['a week', every(7 * DAY), 12 * HOUR, 16 * HOUR],
  ['a month', every(30 * DAY), 2.2 * DAY, 2.8 * DAY],
  ['a year', every(365 * DAY), 2.4 * DAY, 3 * DAY],
  ['a day until two years ago', fetched(730 * DAY, 731 * DAY, 732 * DAY), 2.4 * DAY, 3 * DAY],
  [
    'a week lately, and a year long ago',
    fetched(...Array.from({ length: 10 }, (_, at) => at * 7 * DAY), 3650 * DAY),
    12 * HOUR,
    16 * HOUR,
  ],
  ['unknown interval', fetched(), 5 * HOUR, 7 * HOUR],
  ['unknown interval, the only one a day ago', fetched(DAY), 1.8 * HOUR, 2.2 * HOUR],
  ['a day, and one is announced', fetched(-30 * DAY, 0, DAY, 2 * DAY), 1.8 * HOUR, 2.2 * HOUR],
])('a feed with an episode every %s is fetched at a suitable interval', (_, outcome, least, most) => {
  expect(wait(outcome)).toBeGreaterThanOrEqual(least);
  expect(wait(outcome)).toBeLessThanOrEqual(most);
});

it('an unchanged feed is fetched a little less often each time, down to every three days', () => {
  let state = nextFetch(FEED_URL, NEW, every(DAY), NOW);
  const intervals = Array.from({ length: 200 }, () => {
    state = nextFetch(FEED_URL, state, { kind: 'unchanged' }, NOW);
    return state.intervalSeconds;
  });
  expect(intervals).toEqual(intervals.toSorted((a, b) => a - b));
  expect(intervals[0]! / (2 * HOUR)).toBeCloseTo(1.05, 1);
  expect(intervals[20]).toBeLessThan(8 * HOUR);
  expect(intervals.at(-1)! / DAY).toBeGreaterThan(2.4);
  expect(state.nextAt! - NOW).toBeLessThanOrEqual(3 * DAY);
});

it('a weekly feed is fetched about ten times a week, and its episode is found within a day', () => {
  let state = nextFetch(FEED_URL, NEW, every(7 * DAY), NOW);
  let times = 0;
  while (state.nextAt! < NOW + 7 * DAY) {
    times++;
    state = nextFetch(FEED_URL, state, { kind: 'unchanged' }, state.nextAt!);
  }
  expect(times).toBeGreaterThan(5);
  expect(times).toBeLessThan(15);
  expect(state.nextAt!).toBeLessThan(NOW + 8 * DAY);
});

describe('failures', () => {
  it('double the wait each time, from half an hour to three days, until the first success', () => {
    let state: FeedSchedule = nextFetch(FEED_URL, NEW, every(DAY), NOW);
    const { intervalSeconds } = state;
    const waits = Array.from({ length: 100 }, () => {
      state = nextFetch(FEED_URL, state, failed(), NOW);
      return state.nextAt! - NOW;
    });
    expect(waits[0]).toBeGreaterThanOrEqual(0.5 * HOUR);
    expect(waits[0]).toBeLessThan(HOUR);
    expect(waits.slice(1, 7).map((each, at) => each / waits[at]!)).toEqual(
      [2, 2, 2, 2, 2, 2].map((each) => expect.closeTo(each, 2)),
    );
    expect(waits.at(-1)).toBeLessThanOrEqual(3 * DAY);
    expect(waits.at(-1)).toBeGreaterThan(2 * DAY);
    expect(state).toMatchObject({ failures: 100, intervalSeconds });
    expect(nextFetch(FEED_URL, state, { kind: 'unchanged' }, NOW)).toMatchObject({ failures: 0 });
  });

  it.each([
    [5, 0.5 * HOUR, HOUR],
    [2 * DAY, 2 * DAY, 2 * DAY],
    [365 * DAY, 3 * DAY, 3 * DAY],
  ])('wait as long as the server asks for, within limits: %i', (retryAfter, least, most) => {
    expect(wait(failed(retryAfter))).toBeGreaterThanOrEqual(least);
    expect(wait(failed(retryAfter))).toBeLessThanOrEqual(most);
  });
});

it('a feed that is gone is never fetched again', () => {
  expect(nextFetch(FEED_URL, NEW, { kind: 'gone' }, NOW).nextAt).toBeUndefined();
});

it('feeds that were fetched together are spread by jitter, which is constant for each feed', () => {
  const urls = Array.from({ length: 100 }, (_, at) => `${FEED_URL}${at}`);
  const waits = urls.map((url) => wait(every(DAY), NEW, url));
  expect(urls.map((url) => wait(every(DAY), NEW, url))).toEqual(waits);
  expect(new Set(waits).size).toBeGreaterThan(80);
  expect(Math.max(...waits) / Math.min(...waits)).toBeGreaterThan(1.15);
});
