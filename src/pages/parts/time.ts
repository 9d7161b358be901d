import { formatUtc } from '../../domain/timestamp.ts';
import type { Seconds } from '../../domain/types.ts';
import { type Markup, markup } from './markup.ts';

/** A duration as text: `1 h 5 min`, `12 min`, `40 s`. */
export function toDuration(seconds: Seconds): string {
  if (seconds > 0 && seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  const whole = `${hours < 1000 ? hours : hours.toLocaleString('en')} h`;
  return minutes % 60 === 0 ? whole : `${whole} ${minutes % 60} min`;
}

const two = (part: number): string => String(part).padStart(2, '0');

/** A position as a player shows it: `1:02:03`, `4:05`. */
export function toClock(seconds: Seconds): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Times in UTC as text. Created on first use: each takes a millisecond, and every command loads this module. */
function createFormat(options: Intl.DateTimeFormatOptions): (at: Seconds) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })).format(at * 1000);
}

const FORMATS = {
  /** 25 Nov */
  day: createFormat({ day: 'numeric', month: 'short' }),
  /** 25 Nov 2026 */
  date: createFormat({ day: 'numeric', month: 'short', year: 'numeric' }),
  /** Wednesday, 25 November 2026 */
  weekday: createFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  /** Nov 2026 */
  month: createFormat({ month: 'short', year: 'numeric' }),
  year: createFormat({ year: 'numeric' }),
  /** 14:05 */
  time: createFormat({ hour: '2-digit', minute: '2-digit' }),
  /** 25 Nov 2026, 14:05 */
  minute: createFormat({ dateStyle: 'medium', timeStyle: 'short' }),
};

/** A time in UTC as text. */
export const formatTime = (at: Seconds, as: keyof typeof FORMATS): string => FORMATS[as](at);

export const renderMoment = (at: Seconds, as: keyof typeof FORMATS): Markup =>
  markup`<time datetime="${formatUtc(at)}">${formatTime(at, as)}</time>`;

/** `25 Nov 2026`; undefined without a time. */
export const renderDate = (at: Seconds | undefined): Markup | undefined =>
  at === undefined ? undefined : renderMoment(at, 'date');

/** A time to the minute. The script converts it to the visitor's time zone. */
export const renderTime = (at: Seconds): Markup =>
  markup`<time datetime="${formatUtc(at)}" data-local>${formatTime(at, 'minute')} UTC</time>`;
