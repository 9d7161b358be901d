import type { Entry, Key, Range, Value, Version } from '../../src/plugin.ts';
import { endOf, type Part } from './layout.ts';

/** A change of one key; without a value, its deletion. */
export interface Change {
  readonly key: Key;
  readonly value: Value | undefined;
  readonly version: Version;
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

/** Merges changes into entries; both in key order. */
export function merge(entries: readonly Entry[], changes: readonly Change[]): Entry[] {
  const merged: Entry[] = [];
  let place = 0;
  for (const change of changes) {
    while (place < entries.length && entries[place]!.key < change.key) merged.push(entries[place++]!);
    if (entries[place]?.key === change.key) place += 1;
    if (change.value !== undefined) merged.push(change as Entry);
  }
  while (place < entries.length) merged.push(entries[place++]!);
  return merged;
}

const NONE: readonly Change[] = [];

/** Merges newer changes into changes; both in key order. */
function replace(changes: readonly Change[], newer: readonly Change[]): readonly Change[] {
  if (changes.length === 0) return newer;
  const replaced: Change[] = [];
  let place = 0;
  for (const change of newer) {
    for (const next = placeOf(changes, change.key, keyOf); place < next;) replaced.push(changes[place++]!);
    if (changes[place]?.key === change.key) place += 1;
    replaced.push(change);
  }
  while (place < changes.length) replaced.push(changes[place++]!);
  return replaced;
}

/** The keys with one prefix: entries in files, and changes since the files were written. */
export class Group {
  readonly prefix: string;
  /** In key order. */
  parts: readonly Part[] = [];
  /** Undefined if there are none, to save memory: most groups have no changes. */
  #changes: Map<Key, Change> | undefined;
  /** Sorted changes, without those of the keys in `#newer`. */
  #sorted: readonly Change[] = NONE;
  #newer: Set<Key> | undefined;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  apply(change: Change): void {
    this.#changes ??= new Map();
    this.#changes.set(change.key, change);
    this.#newer ??= new Set();
    this.#newer.add(change.key);
  }

  /** In key order. */
  get changes(): readonly Change[] {
    if (!this.#newer) return this.#sorted;
    const newer = [...this.#newer].toSorted().map((key) => this.#changes!.get(key)!);
    this.#newer = undefined;
    return (this.#sorted = replace(this.#sorted, newer));
  }

  /** Discards changes that were written to files, unless newer ones have replaced them. */
  discardFlushed(changes: readonly Change[]): void {
    const before = this.changes;
    for (const change of changes) if (this.#changes?.get(change.key) === change) this.#changes.delete(change.key);
    if (this.#changes?.size === 0) this.#changes = undefined;
    this.#sorted = this.#changes ? before.filter(({ key }) => this.#changes!.has(key)) : NONE;
  }

  add(part: Part): void {
    this.parts = [...this.parts, part].toSorted((a, b) => (a.start < b.start ? -1 : 1));
  }

  remove(part: Part): void {
    this.parts = this.parts.filter((each) => each !== part);
  }

  /** Where the keys of a part end. */
  endOf(part: Part): Key {
    return this.parts.find(({ start }) => start > part.start)?.start ?? endOf(this.prefix);
  }

  /** The part for a key; undefined before the first part. */
  partOf(key: Key): Part | undefined {
    const place = placeOf(this.parts, key, startOf);
    return this.parts[place]?.start === key ? this.parts[place] : this.parts[place - 1];
  }

  find(key: Key, source: Source): Entry | undefined {
    const change = this.#changes?.get(key);
    if (change) return change.value === undefined ? undefined : (change as Entry);
    const part = this.partOf(key);
    if (!part) return undefined;
    const entries = source.entriesOf(part);
    const entry = entries[placeOf(entries, key, keyOf)];
    return entry?.key === key ? entry : undefined;
  }

  list({ from, until, limit }: Range, source: Source): Entry[] {
    const changes = between(this.changes, from, until);
    const wanted = limit + changes.length;
    const found: Entry[] = [];
    const first = Math.max(0, this.parts.indexOf(this.partOf(from)!));
    const missing = source.missing + LOADED_AHEAD;
    for (let place = first; place < this.parts.length && this.parts[place]!.start < until; place += 1) {
      const entries = source.entriesOf(this.parts[place]!);
      const end = this.parts[place + 1]?.start ?? until;
      const begin = placeOf(entries, from, keyOf);
      const stop = placeOf(entries, end < until ? end : until, keyOf);
      for (const entry of entries.slice(begin, Math.min(stop, begin + wanted - found.length))) found.push(entry);
      if (found.length >= wanted || source.missing >= missing) break;
    }
    return merge(found, changes).slice(0, limit);
  }
}
