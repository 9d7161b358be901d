import type { EpisodeAction, Seconds } from './types.ts';

/** An episode counts as finished if less than this is left: apps then mark it as played. */
export const FINISHED_WITHIN: Seconds = 30;

/** Listening time of a play: `position - started` if both are known and it is positive, else 0. */
export const listenedIn = ({ position, started }: NonNullable<EpisodeAction['play']>): Seconds =>
  started === undefined ? 0 : Math.max(0, position - started);

/** Whether a play that stopped at `position` reached the end of an episode of this length. */
export const isFinished = (position: Seconds, total: Seconds): boolean =>
  total > 0 && position > total - Math.min(FINISHED_WITHIN, total);

const DAY: Seconds = 86_400;

/** Days since 1970 in UTC. */
export const dayOf = (at: Seconds): number => Math.floor(at / DAY);

/** The first second of a day. */
export const startOfDay = (day: number): Seconds => day * DAY;

/** 0 for Monday to 6 for Sunday. 1 January 1970 was a Thursday. */
export const weekdayOf = (day: number): number => (day + 3) % 7;
