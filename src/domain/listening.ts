import type { EpisodeAction, Seconds } from './types.ts';

/** An episode counts as finished when less than this was left: apps mark it as played then, too. */
export const FINISHED_WITHIN: Seconds = 30;

/** Listening time of a play: `position - started` where both are known and time went on, else none. Nothing is guessed. */
export const listenedIn = ({ position, started }: NonNullable<EpisodeAction['play']>): Seconds =>
  started === undefined ? 0 : Math.max(0, position - started);

/** Whether a play that stopped at `position` reached the end of an episode of this length. */
export const isFinished = (position: Seconds, total: Seconds): boolean =>
  total > 0 && position > total - Math.min(FINISHED_WITHIN, total);

const DAY: Seconds = 86_400;

/** Days since 1970 in UTC. */
export const dayOf = (at: Seconds): number => Math.floor(at / DAY);

/** When a day begins. */
export const startOfDay = (day: number): Seconds => day * DAY;

/** 0 for Monday to 6 for Sunday. 1970 began on a Thursday. */
export const weekdayOf = (day: number): number => (day + 3) % 7;
