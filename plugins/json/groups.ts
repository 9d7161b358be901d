import { eachInSlices, type Entry, type Key, type Range, type Value, type Version } from '../../src/plugin.ts';
import { endOf, type FileStart, prefixOf } from './layout.ts';

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
function lowerBound<Item>(items: readonly Item[], key: Key, keyOf: (item: Item) => Key): number {
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
  items.slice(lowerBound(items, from, keyOf), lowerBound(items, until, keyOf));

/** Replaces changes by newer ones of the same key, and adds the others. Both in key order; entries are changes, too. */
function merge(changes: readonly Change[], newer: readonly Change[]): readonly Change[] {
  if (changes.length === 0 || newer.length === 0) return newer.length === 0 ? changes : newer;
  const merged: Change[] = [];
  let index = 0;
  for (const change of newer) {
    for (const next = lowerBound(changes, change.key, keyOf); index < next;) merged.push(changes[index++]!);
    if (changes[index]?.key === change.key) index += 1;
    merged.push(change);
  }
  while (index < changes.length) merged.push(changes[index++]!);
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
  /** The changes in key order; for the keys in `#unsorted`, the previous ones or none. */
  #sorted: readonly Change[] = [];
  #unsorted: Set<Key> | undefined;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  apply(change: Change): void {
    this.#changes ??= new Map();
    this.#changes.set(change.key, change);
    this.#unsorted ??= new Set();
    if (this.#unsorted.add(change.key).size > MAX_UNSORTED) this.sortChanges();
  }

  /** The changes in key order. */
  sortChanges(): readonly Change[] {
    if (!this.#unsorted) return this.#sorted;
    const newer = [...this.#unsorted].toSorted().map((key) => this.#changes!.get(key)!);
    this.#unsorted = undefined;
    return (this.#sorted = merge(this.#sorted, newer));
  }

  /** Discards changes that were written to files, unless newer ones have replaced them. */
  discardFlushed(flushed: readonly Change[]): void {
    const changes = this.sortChanges();
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
    return this.parts[this.#indexFor(part.start) + 1]?.start ?? endOf(this.prefix);
  }

  /** Index of the part for a key; -1 before the first part. */
  #indexFor(key: Key): number {
    const index = lowerBound(this.parts, key, startOf);
    return this.parts[index]?.start === key ? index : index - 1;
  }

  find(key: Key, source: Source): Entry | undefined {
    const change = this.#changes?.get(key);
    if (change) return exists(change) ? change : undefined;
    const part = this.parts[this.#indexFor(key)];
    if (!part) return undefined;
    const entries = source.entriesOf(part);
    const entry = entries[lowerBound(entries, key, keyOf)];
    return entry?.key === key ? entry : undefined;
  }

  list({ from, until, limit }: Range, source: Source): readonly Entry[] {
    const changes = between(this.sortChanges(), from, until);
    const wanted = limit + changes.length;
    const found: Entry[] = [];
    const missing = source.missing + LOADED_AHEAD;
    for (let index = Math.max(0, this.#indexFor(from)); index < this.parts.length; index += 1) {
      const part = this.parts[index]!;
      if (part.start >= until || found.length >= wanted || source.missing >= missing) break;
      const end = this.parts[index + 1]?.start ?? until;
      const entries = between(source.entriesOf(part), from, end < until ? end : until);
      for (const entry of entries.slice(0, wanted - found.length)) found.push(entry);
    }
    return applyTo(found, changes).slice(0, limit);
  }
}

const prefixIn = ({ prefix }: Group): string => prefix;

/** All groups. */
export class Groups {
  readonly #byPrefix = new Map<string, Group>();
  /** In order, by the number of slashes in their prefixes: those with the same number never overlap. */
  readonly #levels: Group[][] = [[], [], []];
  readonly #changed = new Set<Group>();
  /** Changes since the last checkpoint. */
  changeCount = 0;
  /** Set while changes are being applied: reads must wait. */
  applying: Promise<void> | undefined;

  constructor(files: readonly FileStart[]) {
    for (const { prefix, start } of files.toSorted((a, b) => (a.start < b.start ? -1 : 1))) {
      const group = this.#group(prefix);
      group.parts = [...group.parts, { group, start }];
    }
  }

  #group(prefix: string): Group {
    let group = this.#byPrefix.get(prefix);
    if (!group) {
      group = new Group(prefix);
      this.#byPrefix.set(prefix, group);
      const level = this.#levelOf(prefix);
      level.splice(lowerBound(level, prefix, prefixIn), 0, group);
    }
    return group;
  }

  #levelOf(prefix: string): Group[] {
    return this.#levels[prefix.split('/').length - 1]!;
  }

  parts(): Part[] {
    return this.#levels.flat().flatMap(({ parts }) => parts);
  }

  /** Applies durable changes, in time slices if there are many. */
  async apply(changes: readonly Change[]): Promise<void> {
    this.applying = eachInSlices(changes, (change) => {
      const group = this.#group(prefixOf(change.key));
      group.apply(change);
      this.#changed.add(group);
      this.changeCount += 1;
    });
    await this.applying;
    this.applying = undefined;
  }

  /** Groups with changes that are not in files yet. */
  changed(): Group[] {
    return [...this.#changed];
  }

  /** Discards changes of a group as it does, and forgets the group if it is empty then. */
  discardFlushed(group: Group, changes: readonly Change[]): void {
    group.discardFlushed(changes);
    if (group.sortChanges().length > 0) return;
    this.#changed.delete(group);
    if (group.parts.length > 0) return;
    const level = this.#levelOf(group.prefix);
    level.splice(lowerBound(level, group.prefix, prefixIn), 1);
    this.#byPrefix.delete(group.prefix);
  }

  find(key: Key, source: Source): Entry | undefined {
    return this.#byPrefix.get(prefixOf(key))?.find(key, source);
  }

  list(range: Range, source: Source): Entry[] {
    const found = this.#levels.flatMap((level) => listLevel(level, range, source));
    return found.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, range.limit);
  }
}

function listLevel(level: readonly Group[], { from, until, limit }: Range, source: Source): Entry[] {
  let index = lowerBound(level, from, prefixIn);
  if (index > 0 && endOf(level[index - 1]!.prefix) > from) index -= 1;
  const found: Entry[] = [];
  for (; index < level.length && level[index]!.prefix < until; index += 1) {
    if (found.length + source.missing >= limit) break;
    for (const entry of level[index]!.list({ from, until, limit: limit - found.length }, source)) found.push(entry);
  }
  return found;
}
