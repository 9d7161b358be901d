import type { Seconds } from '../../domain/types.ts';

/** How long a podcast is kept that no account needs. */
export const KEPT_UNUSED: Seconds = 30 * 86_400;

/** Podcasts on a toplist that is kept. */
export const TOPLIST_LENGTH = 100;
/** The least time between two kept toplists: a bit less than a day, so that a daily rebuild never misses one. */
export const TOPLIST_EVERY: Seconds = 23 * 3600;
export const WEEK: Seconds = 7 * 86_400;

/** Episodes kept of a feed, the newest by release. */
export const EPISODES_KEPT = 5000;
/** Former URLs kept of an episode, the latest: some feeds give every episode another URL at each reading. */
export const FORMER_URLS_KEPT = 50;

/** Suggestions come from this many of the people who share feeds with the user, the nearest: it bounds the time taken. */
export const PEOPLE_ASKED = 500;
/** Added to a podcast's subscribers when suggestions are weighed, so that what few people have comes with caution. */
export const DOUBT = 5;
