import { RemoteError } from './failure.ts';

/*
 * Reading what other servers answer, with as little as possible taken for granted: null for a text, objects for URLs, a
 * number for an id.
 */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unreadable = (what: string): RemoteError =>
  new RemoteError(`what the server answers for ${what} is in a shape that podsync does not know`);

/** An array. Throws a RemoteError for anything else; `what` says what it is of. */
export function toArray(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw unreadable(what);
}

/** The objects in an array. Throws as `toArray` does. */
export const toObjects = (value: unknown, what: string): Record<string, unknown>[] =>
  toArray(value, what).filter(isObject);

/** An object. Throws a RemoteError for anything else. An empty array is what PHP makes of an empty object. */
export function toObject(value: unknown, what: string): Record<string, unknown> {
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw unreadable(what);
}

/** A text, or a number as one; `''` for anything else. */
export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Feed URLs: texts, or objects that have one. Throws as `toArray` does. */
export const toUrls = (value: unknown, what: string): string[] =>
  toArray(value, what)
    .map((entry) => (isObject(entry) ? toText(entry.url ?? entry.feed ?? entry.feed_url) : toText(entry)))
    .filter((url) => url !== '');
