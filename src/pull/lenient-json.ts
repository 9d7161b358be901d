import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { RemoteError } from './remote-error.ts';

/*
 * Reads the JSON of other servers and tolerates their quirks: null for a text, objects for URLs, a number for an id.
 */

/** The error for an answer that cannot be read; `what` names its contents. */
export const invalidFormat = (what: string): RemoteError =>
  new RemoteError(`the server returned ${what} in a format that podsync does not know`);

/**
 * An array, or `[]` for null, as Go encodes an empty one. Throws a RemoteError for anything else; `what` names its contents.
 */
export function toArray(value: unknown, what: string): unknown[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw invalidFormat(what);
}

/** The objects in an array. Throws like `toArray`. */
export const toObjects = (value: unknown, what: string): JsonObject[] => toArray(value, what).filter(isJsonObject);

/**
 * An object, or `{}` for null and for an empty array, as Go and PHP encode an empty one. Throws a RemoteError for anything
 * else.
 */
export function toObject(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  throw invalidFormat(what);
}

/** A string, or a number as a string; `''` for anything else. */
export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Feed URLs: strings, or objects with a URL. Throws like `toArray`, also if no entry has a URL. */
export function toUrls(value: unknown, what: string): string[] {
  const entries = toArray(value, what);
  const urls = entries
    .map((entry) => (isJsonObject(entry) ? toText(entry.url ?? entry.feed ?? entry.feed_url) : toText(entry)))
    .filter((url) => url !== '');
  if (urls.length === 0 && entries.length > 0) throw invalidFormat(what);
  return urls;
}
