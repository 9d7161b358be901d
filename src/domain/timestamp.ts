import { invalid } from './errors.ts';
import type { Seconds } from './types.ts';

/** 9999-12-31T23:59:59: later years have five digits. */
const LATEST: Seconds = 253_402_300_799;

const ISO =
  /^([1-9]\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d+)?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/i;

/** The format of most clients, on a day that every month has. It has a fast path, as an upload may have thousands. */
const COMMON = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/**
 * Reads the timestamp of a client: ISO 8601 with `T` or a space, with or without a fraction, with `Z`, an offset or no
 * zone (UTC), or a number of seconds since 1970 (spec 2.7). Fractions are dropped. Throws `invalid` for anything else,
 * for dates that do not exist, and outside the years 1970 to 9999.
 */
export function parseTimestamp(value: unknown): Seconds {
  const at = typeof value === 'string' ? parseIso(value) : typeof value === 'number' ? Math.floor(value) : NaN;
  if (at >= 0 && at <= LATEST) return at;
  throw invalid('the timestamp must be a UTC time such as 2024-01-31T23:59:59, or seconds since 1970');
}

function parseIso(text: string): Seconds {
  if (COMMON.test(text)) return parseCommon(text);
  const parts = ISO.exec(text);
  if (!parts) return NaN;
  const [, year, month, day, hour, minute, second, sign, offsetHours, offsetMinutes] = parts;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (Number(day) > 28 && new Date(midnight).getUTCDate() !== Number(day)) return NaN;
  const local = midnight / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second ?? 0);
  if (sign === undefined) return local;
  const offset = Number(offsetHours) * 3600 + Number(offsetMinutes ?? 0) * 60;
  return sign === '+' ? local - offset : local + offset;
}

const ZERO = '0'.charCodeAt(0);

/** Reads the digits at fixed positions, three times as fast as `Date.parse`. */
function parseCommon(text: string): Seconds {
  const pair = (at: number): number => (text.charCodeAt(at) - ZERO) * 10 + (text.charCodeAt(at + 1) - ZERO);
  return Date.UTC(pair(0) * 100 + pair(2), pair(5) - 1, pair(8), pair(11), pair(14), pair(17)) / 1000;
}

/** `YYYY-MM-DDTHH:MM:SS` in UTC. Without fraction and zone, as some clients fail on either. */
export const formatTimestamp = (at: Seconds): string => new Date(at * 1000).toISOString().slice(0, 19);

/** The same with its zone, `YYYY-MM-DDTHH:MM:SSZ`, for the operator and the website. */
export const formatUtc = (at: Seconds): string => `${formatTimestamp(at)}Z`;
