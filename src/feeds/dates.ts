import type { Seconds } from '../domain/types.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
/**
 * Offsets from UTC in minutes, in winter for names such as `ET`. All other names, including military letters, count as
 * UTC.
 */
const ZONES: Record<string, number> = {
  et: -300,
  est: -300,
  edt: -240,
  ct: -360,
  cst: -360,
  cdt: -300,
  mt: -420,
  mst: -420,
  mdt: -360,
  pt: -480,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
  ast: -240,
  adt: -180,
  brt: -180,
  bst: 60,
  wet: 0,
  west: 60,
  cet: 60,
  met: 60,
  mez: 60,
  cest: 120,
  mest: 120,
  mesz: 120,
  sast: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  ist: 330,
  jst: 540,
  kst: 540,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
};
/** 2100-01-01. Later dates, and dates before 1970, are mistakes. */
const TOO_LATE: Seconds = 4_102_444_800;

const TIME = String.raw`(?:[\s,T]+(?:at\s+)?(?<hour>\d{1,2})[:.](?<minute>\d{1,2})(?:[:.](?<second>\d{1,2})(?:[.,]\d+)?)?\s*(?<meridiem>[ap]\.?m\.?(?![sd]?t\b))?)?`;
const ZONE = String.raw`\s*(?<zone>.*)$`;
const WEEKDAY = String.raw`^(?:[\p{L}.]+(?:,\s*|\s+))?`;

/** The formats of dates in feeds. Weekdays are ignored, as they are often wrong. */
const FORMATS = [
  // 2024-01-31T10:00:00+01:00, 2024-01-31 10:00, Wed, 2024/01/31, 20240131T100000Z, 2024-01
  String.raw`${WEEKDAY}(?<year>\d{4})[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2}))?${TIME}${ZONE}`,
  String.raw`^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?)?${ZONE}`,
  // Wed, 31 Jan 2024 10:00:00 +0100, 31-Jan-24, 31. January 2024
  String.raw`${WEEKDAY}(?<day>\d{1,2})(?:st|nd|rd|th)?[\s.-]*(?<month>[a-z]{3,9})[\s.,-]*(?<year>\d{4}|\d{2,3})\b${TIME}${ZONE}`,
  // Wed Jan 31 10:00:00 CET 2024
  String.raw`${WEEKDAY}(?<month>[a-z]{3,9})\s+(?<day>\d{1,2})${TIME}\s+(?<zone>[a-z]{1,5}\s+|[+-]\d{4}\s+)?(?<year>\d{4})$`,
  // January 31, 2024 10:00 AM EST
  String.raw`${WEEKDAY}(?<month>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?[\s,]+(?<year>\d{4})${TIME}${ZONE}`,
  // 31.01.2024 10:00
  String.raw`^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})${TIME}${ZONE}`,
].map((format) => new RegExp(format, 'iu'));

/**
 * Parses the release date of an episode: RFC 822 with all variants of zone, year and seconds, ISO 8601, seconds or
 * milliseconds since 1970, and other formats found in feeds. Undefined for anything else: other languages, dates that
 * do not exist, and ambiguous orders of day and month.
 */
export function parseDate(written: string): Seconds | undefined {
  const text = written.trim().slice(0, 100);
  if (/^\d{9,13}$/.test(text)) return plausible(text.length > 11 ? Number(text) / 1000 : Number(text));
  for (const format of FORMATS) {
    const parts = format.exec(text)?.groups;
    if (parts) return plausible(toSeconds(parts));
  }
  return undefined;
}

const plausible = (at: number): Seconds | undefined => (at > 0 && at < TOO_LATE ? Math.floor(at) : undefined);

function toSeconds(parts: Record<string, string | undefined>): number {
  const month = monthOf(parts['month']!);
  const day = Number(parts['day'] ?? 1);
  const midnight = new Date(Date.UTC(yearOf(parts['year']!), month, day));
  if (midnight.getUTCMonth() !== month) return NaN; // there is no such day or month
  const minutes = hourOf(Number(parts['hour'] ?? 0), parts['meridiem']) * 60 + Number(parts['minute'] ?? 0);
  const second = Number(parts['second'] ?? 0);
  if (minutes > 24 * 60 || second > 60) return NaN;
  return midnight.getTime() / 1000 + (minutes - offsetOf(parts['zone'] ?? '')) * 60 + second;
}

/** The month, counted from 0: by number, or by an English name of at least three letters. -1 for anything else. */
function monthOf(written: string): number {
  if (/^\d/.test(written)) return Number(written) - 1;
  const name = written.toLowerCase();
  return MONTHS.findIndex((month) => month.startsWith(name));
}

/** Two digits are read as in e-mail; three digits are years since 1900 from a program that forgot to add 1900. */
function yearOf(written: string): number {
  const year = Number(written);
  if (written.length === 4) return year;
  return year + (written.length === 2 && year < 50 ? 2000 : 1900);
}

function hourOf(hour: number, meridiem: string | undefined): number {
  if (meridiem === undefined) return hour;
  return (hour % 12) + (/^p/i.test(meridiem) ? 12 : 0);
}

/**
 * Offset from UTC in minutes: from a number anywhere in the text (`GMT+0200`, `+02:00 (CEST)`), or else from a name.
 */
function offsetOf(zone: string): number {
  const [, sign, hours = '', minutes = '0'] = /([+-])(\d{1,2}):?(\d\d)?/.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return ZONES[/[a-z]+/i.exec(zone)?.[0].toLowerCase() ?? ''] ?? 0;
}
