import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Stamp, Url, UserId } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import { isStorageError } from '../errors.ts';
import { under, type UrlDigest, urlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { ActionStore } from '../stores.ts';

/** Names and accounts that stay in memory. */
const IN_MEMORY = 1_000_000;

/** What is known of one URL. */
interface References {
  /** Of episodes: quick, and enough to tell those of one podcast apart. A collision only keeps one episode too many. */
  names: Set<number>;
  /** What each account did up to this mark is among them. */
  readUpTo: Map<UserId, Stamp>;
}

/**
 * Which episodes anyone ever acted on, as the directory keeps those however old they are. Few ask: found out in the
 * actions of the accounts that acted on the podcast, each time from where the last time ended.
 */
export class EpisodeReferences {
  readonly #store: KeyValueStore;
  readonly #query: ActionStore['query'];
  readonly #known = new LRUCache<UrlDigest, References>({
    maxSize: IN_MEMORY,
    sizeCalculation: ({ names, readUpTo }) => names.size + readUpTo.size + 1,
  });

  constructor(store: KeyValueStore, query: ActionStore['query']) {
    this.#store = store;
    this.#query = query;
  }

  /** Resolves with a test of an episode's name, URL or GUID: whether anyone acted on it under one of these podcasts. */
  async among(podcasts: readonly Url[]): Promise<(name: string) => boolean> {
    const all: ReadonlySet<number>[] = [];
    for (const url of podcasts) all.push(await this.#read(url));
    return (name) => all.some((names) => names.has(crc32(name)));
  }

  async #read(url: Url): Promise<ReadonlySet<number>> {
    const digest = urlDigest(url);
    const { names, readUpTo } = this.#known.get(digest) ?? { names: new Set<number>(), readUpTo: new Map() };
    const prefix = `a/${digest}/` as const;
    for await (const page of scan(this.#store, under(prefix))) {
      for (const { key } of page) {
        const user = key.slice(prefix.length) as UserId;
        const mark = await this.#readAccount(user, url, readUpTo.get(user) ?? 0, names);
        if (mark !== undefined) readUpTo.set(user, mark);
      }
    }
    this.#known.set(digest, { names, readUpTo });
    return names;
  }

  /** Adds the names of what an account acted on since a mark; resolves with the mark to go on from. */
  async #readAccount(user: UserId, podcast: Url, since: Stamp, names: Set<number>): Promise<Stamp | undefined> {
    try {
      const { pages, mark } = await this.#query(user, { podcast, since });
      for await (const page of pages) {
        for (const { episode, guid } of page) {
          names.add(crc32(episode));
          if (guid !== undefined) names.add(crc32(guid));
        }
      }
      return mark;
    } catch (error) {
      if (isStorageError(error, 'missing')) return undefined; // the account was removed
      throw error;
    }
  }

  clear(): void {
    this.#known.clear();
  }
}
