import { eachInSlices, type Entry, type Key, type Range } from '../../src/plugin.ts';
import { type Change, Group, type Part, placeOf, type Source } from './group.ts';
import { endOf, type FileStart, prefixOf } from './layout.ts';

const prefixIn = ({ prefix }: Group): string => prefix;

/** A change that is not durable yet, and the promise of its commit. */
export interface PendingChange {
  change: Change;
  durable: Promise<void>;
}

/** All groups, and the changes that are not durable yet. */
export class Groups {
  readonly #byPrefix = new Map<string, Group>();
  /** In order, by the number of slashes in their prefixes: those with the same number never overlap. */
  readonly #levels: Group[][] = [[], [], []];
  readonly #changed = new Set<Group>();
  /** Changes since the last checkpoint. */
  changeCount = 0;
  /** Another map when the pending changes have failed. */
  pending: Map<Key, PendingChange> = new Map();
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
      level.splice(placeOf(level, prefix, prefixIn), 0, group);
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
      if (this.pending.get(change.key)?.change === change) this.pending.delete(change.key);
    });
    await this.applying;
    this.applying = undefined;
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

  /** A durable entry. */
  find(key: Key, source: Source): Entry | undefined {
    return this.#byPrefix.get(prefixOf(key))?.find(key, source);
  }

  /** An entry as it will be when all pending changes are durable. */
  newest(key: Key, source: Source): Entry | undefined {
    const pending = this.pending.get(key);
    if (!pending) return this.find(key, source);
    return pending.change.value === undefined ? undefined : (pending.change as Entry);
  }

  list(range: Range, source: Source): Entry[] {
    const levels = this.#levels.map((level) => listLevel(level, range, source)).filter(({ length }) => length > 0);
    if (levels.length < 2) return levels[0] ?? [];
    const found = levels.flat().toSorted((a, b) => (a.key < b.key ? -1 : 1));
    return found.slice(0, range.limit);
  }
}

function listLevel(level: readonly Group[], { from, until, limit }: Range, source: Source): Entry[] {
  let place = placeOf(level, from, prefixIn);
  if (place > 0 && endOf(level[place - 1]!.prefix) > from) place -= 1;
  const found: Entry[] = [];
  for (; place < level.length && level[place]!.prefix < until; place += 1) {
    if (found.length + source.missing >= limit) break;
    for (const entry of level[place]!.list({ from, until, limit: limit - found.length }, source)) found.push(entry);
  }
  return found;
}
