import type { Seconds } from './types.ts';

/** Every feed is fetched within this time, unless it is gone. */
export const LONGEST_WAIT: Seconds = 3 * 86_400;
