import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Entry, type Key, StorageError } from '../../src/plugin.ts';
import { type Part, type Source, totalSize } from './groups.ts';
import { fileName } from './layout.ts';
import { CACHE_SIZE } from './limits.ts';
import { openPart } from './part-file.ts';

/** Parts that a read loads concurrently. */
const LOADED_AT_ONCE = 16;

export type Files = ReturnType<typeof openFiles>;

/** Reads and writes the data files, with a cache of their entries. */
export function openFiles(folder: string) {
  const cache = new LRUCache<Part, readonly Entry[]>({
    maxSize: CACHE_SIZE,
    sizeCalculation: (entries) => totalSize(entries) + 1, // 0 is not accepted
  });
  const loading = new Map<Part, Promise<readonly Entry[]>>();

  const pathOf = ({ group, start }: Part): string => join(folder, fileName(group.prefix, start));

  /** Reads a file, bypassing the cache. */
  const read = async (part: Part): Promise<readonly Entry[]> => {
    const { group } = part;
    try {
      const file = openPart(pathOf(part), group.prefix);
      await file.read();
      const { entries, until } = file.data;
      // Files that were inserted in between later do not matter.
      if (until >= group.endOf(part)) return entries;
      const missing = pathOf({ group, start: until });
      throw new StorageError('corrupt', `${missing} is missing; restore the data folder from a backup`);
    } catch (error) {
      if (group.has(part)) throw error;
      return []; // replaced meanwhile: these entries are not used
    }
  };
  const readAndCache = async (part: Part): Promise<readonly Entry[]> => {
    const entries = await read(part).finally(() => loading.delete(part));
    if (part.group.has(part)) cache.set(part, entries);
    return entries;
  };

  return {
    folder,
    pathOf,
    read,
    cached: (part: Part): readonly Entry[] | undefined => cache.get(part),
    /** Rejects with `corrupt` if the file is damaged. */
    load(part: Part): Promise<readonly Entry[]> {
      const entries = loading.get(part) ?? readAndCache(part);
      loading.set(part, entries);
      return entries;
    },
    /** Writes the entries of a part up to a key, where the next part starts. See `replaceFile`. */
    write: (part: Part, until: Key, entries: readonly Entry[]): Promise<void> =>
      openPart(pathOf(part), part.group.prefix, { entries, until }).write(),
    /** Replaces a part by others in the cache, if it is cached. */
    replace(part: Part, others: readonly (readonly [Part, readonly Entry[]])[]): void {
      if (cache.delete(part)) for (const [other, entries] of others) cache.set(other, entries);
    },
  };
}

/** The entries for one operation, which is repeated until all of them are in memory. */
export class FileSource implements Source {
  readonly #files: Files;
  readonly #loaded = new Map<Part, readonly Entry[]>();
  readonly #missing = new Set<Part>();

  constructor(files: Files) {
    this.#files = files;
  }

  get missing(): number {
    return this.#missing.size;
  }

  entriesOf(part: Part): readonly Entry[] {
    const entries = this.#loaded.get(part) ?? this.#files.cached(part);
    if (!entries) this.#missing.add(part);
    return entries ?? [];
  }

  async load(): Promise<void> {
    const parts = [...this.#missing];
    this.#missing.clear();
    while (parts.length > 0) {
      const load = async (part: Part): Promise<unknown> => this.#loaded.set(part, await this.#files.load(part));
      await Promise.all(parts.splice(0, LOADED_AT_ONCE).map(load));
    }
  }
}
