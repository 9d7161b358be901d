import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { createFolder, remove, toReadError, writeDurably } from './folder.ts';
import { toLines } from './lines.ts';
import type { StoredPodcast } from './shard.ts';
import type { ShelvedEpisode } from './shelf.ts';

/** Characters of episodes that stay in memory. */
const IN_MEMORY = 32 * 1024 * 1024;

/** Whose episodes, and which of two files has them. */
type Shelved = Pick<StoredPodcast, 'url' | 'shelf' | 'newestEpisode'>;

/** The file that is free for what takes the place of the episodes of a podcast. */
export const otherShelf = (podcast: Shelved | undefined): 0 | 1 => (podcast?.shelf === 1 ? 0 : 1);

/**
 * The episodes of each feed, in a file of their own that is read when somebody asks. New ones are written before the
 * journal tells of them, beside those that it tells of until then: a reading is there whole, or not at all.
 */
export class Shelves {
  readonly #folder: string;
  readonly #read = new LRUCache<string, ShelvedEpisode[]>({
    maxSize: IN_MEMORY,
    sizeCalculation: (episodes) => episodes.reduce((size, { description }) => size + 500 + description.length, 1),
  });

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** None where none was ever read. Rejects with `corrupt` when the file is damaged. */
  async read(podcast: Shelved): Promise<ShelvedEpisode[]> {
    if (podcast.newestEpisode === undefined) return [];
    const path = this.#path(podcast);
    const kept = this.#read.get(path);
    if (kept) return kept;
    try {
      const { episodes } = JSON.parse(await readFile(path, 'utf8')) as { episodes: ShelvedEpisode[] };
      this.#read.set(path, episodes);
      return episodes;
    } catch (error) {
      const podcasts = join(dirname(this.#folder), 'podcasts');
      const remedy = `stop the server and remove ${podcasts} to have all feeds read again, or restore from a backup`;
      throw toReadError(error, path, remedy);
    }
  }

  /** Makes them durable. They count once the journal tells of the podcast. */
  async write(podcast: Shelved, episodes: ShelvedEpisode[]): Promise<void> {
    const path = this.#path(podcast);
    await createFolder(dirname(path));
    await writeDurably(path, toLines({ url: podcast.url, episodes }));
    this.#read.set(path, episodes);
  }

  /** One that cannot be removed does no harm: it is written over by and by. */
  async remove(podcast: Shelved): Promise<void> {
    const path = this.#path(podcast);
    this.#read.delete(path);
    await rm(path, { force: true }).catch(() => undefined);
  }

  async clear(): Promise<void> {
    this.#read.clear();
    await remove(this.#folder);
  }

  #path({ url, shelf }: Shelved): string {
    const name = hash('sha1', url, 'hex');
    return join(this.#folder, name.slice(0, 2), shelf === 1 ? `${name}-1.json` : `${name}.json`);
  }
}
