import { LRUCache } from 'lru-cache';
import type { Seconds, Url } from '../../domain/types.ts';
import type { Episode, PodcastStore } from '../../storage/stores.ts';

/** Podcasts whose newest episode is cached. */
const KEPT = 50_000;

/** The newest episode of a podcast, without its description. */
export type NewestEpisode = Omit<Episode, 'description'>;

export interface NewestEpisodes {
  /** By the URL of each podcast in the directory; takes these URLs. Reads only the feeds fetched since the last call. */
  find(podcasts: readonly Url[]): Promise<Map<Url, NewestEpisode>>;
}

export function createNewestEpisodes(podcasts: Pick<PodcastStore, 'feed' | 'episodes'>): NewestEpisodes {
  /** With the time of the fetch: the next one may correct the episode. */
  const known = new LRUCache<Url, { fetchedAt: Seconds | undefined; newest: NewestEpisode | undefined }>({ max: KEPT });

  const read = async (url: Url): Promise<NewestEpisode | undefined> => {
    const fetchedAt = (await podcasts.feed(url))?.fetchedAt;
    const cached = known.get(url);
    if (cached && cached.fetchedAt === fetchedAt) return cached.newest;
    const [episode] = await podcasts.episodes(url, 1);
    const newest = episode && withoutDescription(episode);
    known.set(url, { fetchedAt, newest });
    return newest;
  };

  return {
    async find(urls) {
      const found = new Map<Url, NewestEpisode>();
      for (const url of urls) {
        const newest = await read(url);
        if (newest) found.set(url, newest);
      }
      return found;
    },
  };
}

function withoutDescription(item: Episode): NewestEpisode {
  const { description: _, ...episode } = item;
  return episode;
}
