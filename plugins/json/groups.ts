import type { Entry, Key, Range } from '../../src/plugin.ts';
import { type Change, Group, placeOf, type Source } from './group.ts';
import { endOf, type Part, prefixOf } from './layout.ts';

const prefixIn = ({ prefix }: Group): string => prefix;

/** All groups. Those whose prefixes have the same number of slashes never overlap. */
export class Groups {
  readonly #byPrefix = new Map<string, Group>();
  /** By the number of slashes, in order. */
  readonly #levels: [Group[], Group[], Group[]] = [[], [], []];
  readonly #changed = new Set<Group>();
  /** Changes since the last checkpoint. */
  changeCount = 0;

  constructor(files: readonly Part[]) {
    for (const part of files.toSorted((a, b) => (a.start < b.start ? -1 : 1))) {
      let group = this.#byPrefix.get(part.prefix);
      if (!group) {
        group = new Group(part.prefix);
        this.#byPrefix.set(part.prefix, group);
        this.#levelOf(part.prefix).push(group);
      }
      group.add(part);
    }
  }

  #levelOf(prefix: string): Group[] {
    const slash = prefix.indexOf('/') + 1;
    return this.#levels[slash === 0 ? 0 : slash === prefix.length ? 1 : 2];
  }

  /** All current parts. */
  parts(): Part[] {
    return this.#levels.flat().flatMap(({ parts }) => parts);
  }

  /** Whether a part is current, that is, not replaced. */
  has(part: Part): boolean {
    return this.#byPrefix.get(part.prefix)?.parts.includes(part) ?? false;
  }

  /** Where the keys of a part end. */
  endOf(part: Part): Key {
    return this.#byPrefix.get(part.prefix)?.endOf(part) ?? part.start;
  }

  /** Applies many changes and sorts them at once, so that no later read has to. */
  applyAll(changes: readonly Change[]): void {
    const groups = new Set(changes.map((change) => this.apply(change)));
    for (const group of groups) void group.changes;
  }

  apply(change: Change): Group {
    const prefix = prefixOf(change.key);
    const group = this.#byPrefix.get(prefix) ?? this.#create(prefix);
    group.apply(change);
    this.#changed.add(group);
    this.changeCount += 1;
    return group;
  }

  #create(prefix: string): Group {
    const group = new Group(prefix);
    const level = this.#levelOf(prefix);
    level.splice(placeOf(level, prefix, prefixIn), 0, group);
    this.#byPrefix.set(prefix, group);
    return group;
  }

  /** Groups with changes that are not in files yet. */
  changed(): Group[] {
    return [...this.#changed];
  }

  /** Discards changes that were written to files, unless newer ones have replaced them. */
  discardFlushed(group: Group, changes: readonly Change[]): void {
    group.discardFlushed(changes);
    if (group.changes.length > 0) return;
    this.#changed.delete(group);
    if (group.parts.length > 0) return;
    const level = this.#levelOf(group.prefix);
    level.splice(placeOf(level, group.prefix, prefixIn), 1);
    this.#byPrefix.delete(group.prefix);
  }

  find(key: Key, source: Source): Entry | undefined {
    return this.#byPrefix.get(prefixOf(key))?.find(key, source);
  }

  list(range: Range, source: Source): Entry[] {
    const [first, ...others] = this.#levels
      .map((level) => listLevel(level, range, source))
      .filter(({ length }) => length > 0);
    if (!first || others.length === 0) return first ?? [];
    const found = [first, ...others].flat();
    return found.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, range.limit);
  }
}

function listLevel(level: readonly Group[], { from, until, limit }: Range, source: Source): Entry[] {
  let place = placeOf(level, from, prefixIn);
  if (place > 0 && endOf(level[place - 1]!.prefix) > from) place -= 1;
  let found: Entry[] = [];
  for (; place < level.length && level[place]!.prefix < until; place += 1) {
    if (found.length + source.missing >= limit) break;
    const more = level[place]!.list({ from, until, limit: limit - found.length }, source);
    if (found.length === 0) found = more;
    else for (const entry of more) found.push(entry);
  }
  return found;
}
