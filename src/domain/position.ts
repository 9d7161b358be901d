import { invalid } from './errors.ts';

/** The latest position in an episode, in seconds: the largest number that all clients can read. */
export const MAX_POSITION = 2 ** 31 - 1;

/** The first part may be larger than on a clock. */
const PATTERN = /^(?:(\d{1,10}):)?(\d{1,10}):(\d\d)$/;

/**
 * Seconds of a version 1 position, `HH:MM:SS` or `MM:SS` (spec 4.9). Throws `invalid` for anything else, and for more
 * than 2^31 - 1 seconds.
 */
export function parsePosition(text: string): number {
  const [, hours, minutes, seconds] = PATTERN.exec(text) ?? [];
  const position = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (position <= MAX_POSITION && Number(seconds) < 60 && (hours === undefined || Number(minutes) < 60)) {
    return position;
  }
  throw invalid('a position must be written HH:MM:SS, such as 01:23:45');
}

/** `HH:MM:SS`, with more digits for the hours if needed. */
export function formatPosition(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => `${part}`.padStart(2, '0')).join(':');
}
