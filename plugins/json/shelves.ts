import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Stamp, StorageError, type Url } from '../../src/plugin.ts';
import { createFolder, writeDurably } from './folder.ts';
import { toLines } from './lines.ts';
import type { ShelvedEpisode } from './shelf.ts';

/** Characters of episodes that stay in memory. */
const IN_MEMORY = 32 * 1024 * 1024;

/**
 * The episodes of each feed, in a file of their own that is read when somebody asks. It is written before the journal
 * tells of it. Episodes that the journal does not tell of are passed over, and read from the feed again.
 */
export class Shelves {
  readonly #folder: string;
  readonly #read = new LRUCache<Url, ShelvedEpisode[]>({
    maxSize: IN_MEMORY,
    sizeCalculation: (episodes) => episodes.reduce((size, { description }) => size + 500 + description.length, 1),
  });

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Those up to the stamp `newest`; none where that is undefined. Rejects with `corrupt` when the file is damaged. */
  async read(feed: Url, newest: Stamp | undefined): Promise<ShelvedEpisode[]> {
    if (newest === undefined) return [];
    const kept = this.#read.get(feed);
    if (kept) return kept;
    const path = this.#path(feed);
    try {
      const { episodes } = JSON.parse(await readFile(path, 'utf8')) as { episodes: ShelvedEpisode[] };
      const told = episodes.filter(({ stamp }) => stamp <= newest);
      if (!this.#read.has(feed)) this.#read.set(feed, told);
      return told;
    } catch (error) {
      const podcasts = join(dirname(this.#folder), 'podcasts');
      const remedy = `stop the server and remove ${podcasts} to have all feeds read again, or restore from a backup`;
      throw new StorageError('corrupt', `${path} cannot be read; ${remedy}`, { cause: error });
    }
  }

  /** Makes them durable. They count once the journal tells of them: see `keep`. */
  async write(feed: Url, episodes: readonly ShelvedEpisode[]): Promise<void> {
    const path = this.#path(feed);
    await createFolder(dirname(path));
    await writeDurably(path, toLines({ url: feed, episodes }));
  }

  /** From now on these are the episodes of the feed. */
  keep(feed: Url, episodes: ShelvedEpisode[]): void {
    this.#read.set(feed, episodes);
  }

  async remove(feed: Url): Promise<void> {
    this.#read.delete(feed);
    await rm(this.#path(feed), { force: true });
  }

  async clear(): Promise<void> {
    this.#read.clear();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #path(feed: Url): string {
    const name = hash('sha1', feed, 'hex');
    return join(this.#folder, name.slice(0, 2), `${name}.json`);
  }
}
