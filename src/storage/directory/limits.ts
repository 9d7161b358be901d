import type { Seconds } from '../../domain/types.ts';

/** How long an unused podcast is kept. */
export const UNUSED_RETENTION: Seconds = 30 * 86_400;

/** Podcasts in a toplist snapshot. */
export const TOPLIST_LENGTH = 100;
/** Minimum time between two snapshots: a bit less than a day, so that a daily rebuild always stores one. */
export const SNAPSHOT_INTERVAL: Seconds = 23 * 3600;
export const WEEK: Seconds = 7 * 86_400;

/** Episodes per feed: the newest by release are kept. */
export const MAX_EPISODES = 5000;
/** Former URLs per episode: the latest are kept. Some feeds change all their URLs at each fetch. */
export const MAX_FORMER_URLS = 50;

/** Recommendations use at most this many similar users, to bound the time. */
export const MAX_NEIGHBOURS = 500;
/**
 * Added to the subscribers of a podcast when it is scored, so that podcasts with few subscribers do not win by chance.
 */
export const SMOOTHING = 5;
