import type { Entry, Key, Range, Value, Version } from '../../src/plugin.ts';
import { endOf } from './layout.ts';

/** A change of one key; without a value, its deletion. */
export interface Change {
  readonly key: Key;
  readonly value: Value | undefined;
  readonly version: Version;
}

/**
 * A data file: the keys of a group from `start` up to the start of the next part. Replaced by a new object at each write.
 */
export interface Part {
  readonly group: Group;
  readonly start: Key;
}

/** The entries of a part, in key order. If they are not loaded yet: empty, and the part counts as missing. */
export interface Source {
  entriesOf(part: Part): readonly Entry[];
  /** Number of parts that are not loaded yet. */
  readonly missing: number;
}

/** Approximate memory of an entry besides its text. */
const ENTRY_SIZE = 100;

export const sizeOf = ({ key, value }: Entry): number => key.length + value.length + ENTRY_SIZE;
export const totalSize = (entries: readonly Entry[]): number => entries.reduce((sum, entry) => sum + sizeOf(entry), 0);

/** Parts of a group that a range read loads ahead. Few, as a part is long and the read may end in it. */
const LOADED_AHEAD = 2;
/** Changes that are sorted at once, so that no later read has to sort many. */
const MAX_UNSORTED = 1000;

/** Index of the first item with a key of at least `key`. */
export function placeOf<Item>(items: readonly Item[], key: Key, keyOf: (item: Item) => Key): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(items[middle]!) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const keyOf = ({ key }: { readonly key: Key }): Key => key;
const startOf = ({ start }: Part): Key => start;

/** Items with keys from `from` up to `until`. */
export const between = <Item extends { readonly key: Key }>(items: readonly Item[], from: Key, until: Key): Item[] =>
  items.slice(placeOf(items, from, keyOf), placeOf(items, until, keyOf));

/** Replaces changes by newer ones of the same key, and adds the others. Both in key order; entries are changes, too. */
function merge(changes: readonly Change[], newer: readonly Change[]): readonly Change[] {
  if (changes.length === 0 || newer.length === 0) return newer.length === 0 ? changes : newer;
  const merged: Change[] = [];
  let place = 0;
  for (const change of newer) {
    for (const next = placeOf(changes, change.key, keyOf); place < next;) merged.push(changes[place++]!);
    if (changes[place]?.key === change.key) place += 1;
    merged.push(change);
  }
  while (place < changes.length) merged.push(changes[place++]!);
  return merged;
}

const exists = (change: Change): change is Entry => change.value !== undefined;

/** The entries after changes. */
export const applyTo = (entries: readonly Entry[], changes: readonly Change[]): readonly Entry[] =>
  changes.length === 0 ? entries : merge(entries, changes).filter(exists);

/** The keys with one prefix: entries in files, and changes since the files were written. */
export class Group {
  readonly prefix: string;
  /** In key order. */
  parts: readonly Part[] = [];
  /** Undefined if there are none, to save memory: most groups have no changes. */
  #changes: Map<Key, Change> | undefined;
  /** Sorted changes, without those of the keys in `#unsorted`. */
  #sorted: readonly Change[] = [];
  #unsorted: Set<Key> | undefined;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  apply(change: Change): void {
    this.#changes ??= new Map();
    this.#changes.set(change.key, change);
    this.#unsorted ??= new Set();
    if (this.#unsorted.add(change.key).size > MAX_UNSORTED) void this.changes;
  }

  /** In key order. */
  get changes(): readonly Change[] {
    if (!this.#unsorted) return this.#sorted;
    const newer = [...this.#unsorted].toSorted().map((key) => this.#changes!.get(key)!);
    this.#unsorted = undefined;
    return (this.#sorted = merge(this.#sorted, newer));
  }

  /** Discards changes that were written to files, unless newer ones have replaced them. */
  discardFlushed(flushed: readonly Change[]): void {
    const { changes } = this;
    for (const change of flushed) if (this.#changes?.get(change.key) === change) this.#changes.delete(change.key);
    this.#sorted = changes.filter(({ key }) => this.#changes?.has(key));
    if (this.#sorted.length === 0) this.#changes = undefined;
  }

  /** Replaces a part, which may be new, by others; by none, if its file is removed. */
  replace(part: Part, others: readonly Part[]): void {
    const parts = [...this.parts.filter((each) => each !== part), ...others];
    this.parts = parts.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  }

  /** Whether a part is current, that is, not replaced. */
  has(part: Part): boolean {
    return this.parts.includes(part);
  }

  /** Where the keys of a part end. */
  endOf(part: Part): Key {
    return this.parts.find(({ start }) => start > part.start)?.start ?? endOf(this.prefix);
  }

  /** Index of the part for a key; -1 before the first part. */
  #placeFor(key: Key): number {
    const place = placeOf(this.parts, key, startOf);
    return this.parts[place]?.start === key ? place : place - 1;
  }

  find(key: Key, source: Source): Entry | undefined {
    const change = this.#changes?.get(key);
    if (change) return exists(change) ? change : undefined;
    const part = this.parts[this.#placeFor(key)];
    if (!part) return undefined;
    const entries = source.entriesOf(part);
    const entry = entries[placeOf(entries, key, keyOf)];
    return entry?.key === key ? entry : undefined;
  }

  list({ from, until, limit }: Range, source: Source): readonly Entry[] {
    const changes = between(this.changes, from, until);
    const wanted = limit + changes.length;
    const found: Entry[] = [];
    const missing = source.missing + LOADED_AHEAD;
    for (let place = Math.max(0, this.#placeFor(from)); place < this.parts.length; place += 1) {
      const part = this.parts[place]!;
      if (part.start >= until || found.length >= wanted || source.missing >= missing) break;
      const end = this.parts[place + 1]?.start ?? until;
      const entries = between(source.entriesOf(part), from, end < until ? end : until);
      for (const entry of entries.slice(0, wanted - found.length)) found.push(entry);
    }
    return applyTo(found, changes).slice(0, limit);
  }
}
