import { eachInSlices } from '../slices.ts';
import type { Entry, Key, KeyValueStore, Range, Value } from './contract.ts';
import { chunkNumber } from './account-keys.ts';

/** Rows of one chunk. */
const CHUNK = 4000;
/** Characters of one chunk; only one that holds a single row may have more. Far below what a value may have. */
const MAX_TEXT = 512 * 1024;

/** Rows as JSON arrays in chunks under a prefix: at least one chunk, also where there are no rows. */
export async function writeRows(prefix: `${string}/`, rows: readonly unknown[]): Promise<[Key, Value][]> {
  const chunks = await chunked(rows, CHUNK, (part) => JSON.stringify(part));
  return chunks.map(({ text }, number) => [`${prefix}${chunkNumber(number)}`, text]);
}

interface Chunk<Item> {
  part: readonly Item[];
  text: string;
}

/** Items in chunks of at most so many, and of a length as JSON that any value may have. */
export async function chunked<Item>(
  items: readonly Item[],
  most: number,
  write: (part: readonly Item[]) => string,
): Promise<Chunk<Item>[]> {
  const chunks: Chunk<Item>[] = [];
  await eachInSlices(chunksOf(items, most, write), (chunk) => chunks.push(chunk));
  return chunks;
}

function* chunksOf<Item>(
  items: readonly Item[],
  most: number,
  write: (part: readonly Item[]) => string,
): Iterable<Chunk<Item>> {
  let count = most;
  let at = 0;
  do {
    const part = items.slice(at, at + count);
    const text = write(part);
    // The next items are most likely as long as these; written in vain are those that turn out to be longer.
    count = Math.max(1, Math.min(most, Math.floor((0.9 * MAX_TEXT * part.length) / text.length)));
    if (text.length > MAX_TEXT && part.length > 1) continue;
    yield { part, text };
    at += part.length;
  } while (at < items.length);
}

/** What `writeRows` wrote. */
export const readRows = <Row>(entries: readonly Entry[]): Row[] =>
  entries.flatMap(({ value }) => JSON.parse(value) as Row[]);

/** Replaces chunks that were under the prefix by those of these rows. */
export async function replaceRows(
  prefix: `${string}/`,
  rows: readonly unknown[],
  before: readonly Key[],
): Promise<{ set: [Key, Value][]; delete: Key[] }> {
  const set = await writeRows(prefix, rows);
  const kept = new Set(set.map(([key]) => key));
  return { set, delete: before.filter((key) => !kept.has(key)) };
}

/** Characters that one page of a scan has, about. */
const PAGE = 512 * 1024;
const FIRST_LIMIT = 16;
const MAX_LIMIT = 1000;

/** All entries of a range in pages, none empty. Each page is of a moment of its own. `scale`: for larger pages. */
export async function* scan(store: KeyValueStore, range: Omit<Range, 'limit'>, scale = 1): AsyncGenerator<Entry[]> {
  let { from } = range;
  let limit = FIRST_LIMIT;
  for (;;) {
    const page = await store.list({ from, until: range.until, limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    from = `${page.at(-1)!.key} `; // a blank is the least character that a key can have
    const size = page.reduce((sum, { value }) => sum + value.length, 0);
    limit = Math.max(1, Math.min(scale * MAX_LIMIT, Math.ceil((scale * PAGE) / (size / page.length + 1))));
  }
}

/** All entries of a range. */
export async function listAll(store: KeyValueStore, range: Omit<Range, 'limit'>): Promise<Entry[]> {
  const first = await store.list({ ...range, limit: MAX_LIMIT });
  if (first.length < MAX_LIMIT) return first;
  const rest: Entry[][] = [];
  for await (const page of scan(store, { ...range, from: `${first.at(-1)!.key} ` })) rest.push(page);
  return first.concat(...rest);
}
