import type { Low } from 'lowdb';
import type { FeedProgress, PodcastInfo, Stamp, Url } from '../../../src/old-plugin.ts';
import { openSnapshot, READ_AGAIN } from './snapshot.ts';

/** A podcast as it is stored. Replaced, never changed. */
export interface StoredPodcast extends PodcastInfo {
  /** The URL that it is shown under. */
  url: Url;
  /** URLs that it had before. */
  formerUrls: Url[];
  feed: FeedProgress;
  /** The newest stamp of its episodes; undefined when none was ever read. */
  newestEpisode?: Stamp;
  /** Which of two files has its episodes: 0 unless given. See `Shelves`. */
  shelf?: 0 | 1;
}

interface ShardFile {
  podcasts: StoredPodcast[];
}

/** A part of the podcasts in a file of its own, so that no snapshot is long enough to hold up requests. */
export class Shard {
  readonly podcasts: Map<Url, StoredPodcast>;
  isSaved = true;
  readonly #file: Low<ShardFile>;

  private constructor(file: Low<ShardFile>) {
    this.#file = file;
    this.podcasts = new Map(file.data.podcasts.map((podcast) => [podcast.url, podcast]));
    file.data = { podcasts: [] };
  }

  static async open(path: string): Promise<Shard> {
    return new Shard(await openSnapshot<ShardFile>(path, { podcasts: [] }, READ_AGAIN));
  }

  async save(): Promise<void> {
    this.isSaved = true; // what changes while it is being written is for the next time
    this.#file.data = { podcasts: [...this.podcasts.values()] };
    try {
      await this.#file.write();
    } catch (error) {
      this.isSaved = false;
      throw error;
    } finally {
      this.#file.data = { podcasts: [] };
    }
  }
}
