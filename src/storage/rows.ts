import { setImmediate } from 'node:timers/promises';
import { mapInSlices } from '../slices.ts';
import type { Entry, Key, KeyValueStore, Range, Value } from './contract.ts';
import { chunkNumber, type Prefix, under } from './keys.ts';
import { valuesOf } from './values.ts';

/** Rows per chunk. */
const CHUNK = 4000;
/** Characters per chunk, far below the limit of values. Only a chunk with a single row may have more. */
const MAX_TEXT = 512 * 1024;

/** Writes rows as JSON arrays, in chunks under a prefix; at least one chunk, even without rows. */
export function writeRows(prefix: Prefix, rows: readonly unknown[]): Promise<[Key, Value][]> {
  const chunks = chunked(rows, CHUNK, (part) => JSON.stringify(part));
  return mapInSlices(chunks, ({ text }, number) => [`${prefix}${chunkNumber(number)}`, text]);
}

/** Splits items into chunks by number and by length as JSON. */
export function* chunked<Item>(
  items: readonly Item[],
  most: number,
  write: (part: readonly Item[]) => string,
): Iterable<{ part: readonly Item[]; text: string }> {
  let count = most;
  let at = 0;
  do {
    const part = items.slice(at, at + count);
    const text = write(part);
    // Assumes that the next items are as long as these; longer ones are written again.
    count = Math.max(1, Math.min(most, Math.floor((0.9 * MAX_TEXT * part.length) / text.length)));
    if (text.length > MAX_TEXT && part.length > 1) continue;
    yield { part, text };
    at += part.length;
  } while (at < items.length);
}

/** For rows in the order in which their items were added first. */
export const byPlace = (a: { place: number }, b: { place: number }): number => a.place - b.place;

/** Reads what `writeRows` has written. */
export const readRows = <Row>(entries: readonly Entry[]): Row[] => valuesOf<Row[]>(entries).flat();

/** Replaces the chunks under a prefix, which have the keys `before`. */
export async function replaceRows(prefix: Prefix, rows: readonly unknown[], before: readonly Key[]) {
  const set = await writeRows(prefix, rows);
  const kept = new Set(set.map(([key]) => key));
  return { set, delete: before.filter((key) => !kept.has(key)) };
}

/** All keys with a prefix, or those from `from` up to, but not including, `until`. */
type Keys = Prefix | Omit<Range, 'limit'>;

/** Approximate characters per page of a scan. */
const PAGE = 512 * 1024;
const FIRST_LIMIT = 16;
const MAX_LIMIT = 1000;

/**
 * Reads entries in non-empty pages, with turns of the event loop in between: a store may have all of them in memory. Each
 * page is its own snapshot. `limit`: of entries on the first page.
 */
export async function* scan(store: KeyValueStore, keys: Keys, limit = FIRST_LIMIT): AsyncGenerator<Entry[]> {
  let { from, until } = typeof keys === 'string' ? under(keys) : keys;
  for (;;) {
    const page = await store.list({ from, until, limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    await setImmediate();
    from = `${page.at(-1)!.key} `; // a space is the smallest character in keys
    const size = page.reduce((sum, { value }) => sum + value.length, 0);
    limit = Math.max(1, Math.min(MAX_LIMIT, Math.ceil(PAGE / (size / page.length + 1))));
  }
}

/** Reads all entries. */
export async function listAll(store: KeyValueStore, keys: Keys): Promise<Entry[]> {
  const pages: Entry[][] = [];
  for await (const page of scan(store, keys, MAX_LIMIT)) pages.push(page);
  return pages.flat();
}

/** Whether any key has the prefix. */
export const hasKeys = async (store: KeyValueStore, prefix: Prefix): Promise<boolean> =>
  (await store.list({ ...under(prefix), limit: 1 })).length > 0;
