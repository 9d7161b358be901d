import { getCookie, type H3Event } from 'h3';
import { invalid } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Stamp } from '../domain/types.ts';
import { decodePercent } from '../domain/url.ts';

/** A placeholder of the path, percent-decoded once. Throws `invalid` for a broken escape. */
export function readParam(event: H3Event, name: string): string {
  const raw = event.context.params?.[name] ?? '';
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    throw invalid('the path has a % that is not percent-encoded UTF-8; write a % as %25');
  }
}

/** Decoders replace bytes that are not UTF-8 with this. Accepting it could turn two names into one. */
export const REPLACEMENT = '\ufffd';

/** A value of the query string; undefined if missing. Throws `invalid` for one that is not UTF-8. */
export function readQuery(event: H3Event, name: string): string | undefined {
  const { search } = event.url;
  if (search === '') return undefined;
  const value = event.url.searchParams.get(name) ?? undefined;
  // If the whole query can be decoded, the value contains the character itself, as names from feeds may.
  const isUtf8 = !value?.includes(REPLACEMENT) || decodePercent(search) !== search;
  if (!isUtf8) throw invalid(`"${name}" in the query is not percent-encoded UTF-8`);
  return value;
}

/** A whole number in the path from 1 to `max`; otherwise throws `invalid`. */
export function readCount(event: H3Event, name: string, max: number): number {
  const text = readParam(event, name);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > max) throw invalid(`the number in the path must be from 1 to ${max}`);
  return count;
}

/** A query value out of `allowed`; the first if missing or empty. Throws `invalid` for any other. */
export function readOneOf<T extends string>(event: H3Event, name: string, allowed: readonly [T, ...T[]]): T {
  const text = readQuery(event, name) || allowed[0];
  const known = allowed.find((each) => each === text);
  if (!known) throw invalid(`"${name}" must be one of ${allowed.join(', ')}`);
  return known;
}

/** The page number of a long list, from 1; otherwise throws `invalid`. */
export function readPage(event: H3Event): number {
  const text = readQuery(event, 'page') ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid('"page" must be a whole number, 1 or higher');
  return Number(text);
}

const MAX_SCALE = 256;
const DEFAULT_SCALE = 64;

/** Size of scaled logos in pixels; undefined if not requested. An empty value means the default size (spec 4.2). */
export function readScale(event: H3Event): number | undefined {
  const text = readQuery(event, 'scale_logo');
  if (text === undefined) return undefined;
  const size = text === '' ? DEFAULT_SCALE : Number(text);
  if (!/^\d*$/.test(text) || size < 1 || size > MAX_SCALE) {
    throw invalid(`"scale_logo" must be a whole number from 1 to ${MAX_SCALE}`);
  }
  return size;
}

/** A cookie, without the quotes that some clients put around it; undefined when missing or empty. */
export function readCookie(event: H3Event, name: string): string | undefined {
  return getCookie(event, name)?.replace(/^"(.*)"$/, '$1') || undefined;
}

/** The `User-Agent` of an app; empty if it sends none. */
export const readApp = (event: H3Event): string => event.req.headers.get('user-agent') ?? '';

/** Whether another podsync copies an account with `pull`. */
export const isPull = (event: H3Event): boolean => readApp(event).startsWith('podsync/');

/** Mark of an earlier response. Missing or empty is 0; else a non-negative integer, or `invalid`. */
export function readSince(event: H3Event): Stamp {
  const text = readQuery(event, 'since') || '0';
  if (!/^\d+$/.test(text)) throw invalid('"since" must be the timestamp of an earlier response, or 0');
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER); // far in the future: nothing will ever be later
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
]);

/** `true`, `1`, `false`, `0` in any letter case; missing or empty is false. Throws `invalid`. */
export function readBoolean(event: H3Event, name: string): boolean {
  const value = BOOLEANS.get((readQuery(event, name) ?? '').toLowerCase());
  if (value === undefined) throw invalid(`"${name}" must be true or false`);
  return value;
}

/**
 * An array of strings in a body, as `toArray` reads it. Throws `invalid`, naming the index of an item that is not a string.
 * With `refuse`, such items are left out, and it is called with the reason.
 */
export function toStringArray(value: unknown, name: string, refuse?: (reason: string) => void): string[] {
  const items = toArray(value, name);
  const wrong = items.findIndex((item) => typeof item !== 'string');
  if (wrong === -1) return items as string[];
  const reason = `"${name}": entry [${wrong}] is not a string`;
  if (!refuse) throw invalid(reason);
  refuse(reason);
  return items.filter((item) => typeof item === 'string');
}

/**
 * An array in a body. Missing, null and `{}` mean empty: apps written in Lua send an empty list as `{}`. Throws `invalid`,
 * naming the `items` that it must have.
 */
export function toArray(value: unknown, name: string, items = 'strings'): unknown[] {
  if (Array.isArray(value)) return value;
  const isEmpty = value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  if (isEmpty) return [];
  throw invalid(`"${name}" must be an array of ${items}`);
}

/** Members of a JSON object that must be strings. Throws `invalid`, naming the first that is not. */
export function toStringFields<Key extends string>(body: JsonObject, ...keys: Key[]): Record<Key, string> {
  const wrong = keys.find((key) => typeof body[key] !== 'string');
  if (wrong !== undefined) throw invalid(`"${wrong}" must be a string`);
  return Object.fromEntries(keys.map((key) => [key, body[key]])) as Record<Key, string>;
}

/** Optional members of a JSON object that must be booleans. Throws `invalid`, naming the first that is not. */
export function toBooleanFields<Key extends string>(body: JsonObject, ...keys: Key[]): Partial<Record<Key, boolean>> {
  const given = keys.filter((key) => body[key] !== undefined);
  const wrong = given.find((key) => typeof body[key] !== 'boolean');
  if (wrong !== undefined) throw invalid(`"${wrong}" must be true or false`);
  return Object.fromEntries(given.map((key) => [key, body[key]])) as Partial<Record<Key, boolean>>;
}
