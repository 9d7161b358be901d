import { LRUCache } from 'lru-cache';
import type { Seconds, Stamp, Url } from '../../domain/types.ts';
import type { Episode, PodcastStore } from '../../storage/stores.ts';

/** Podcasts whose newest episode is cached. */
const KEPT = 50_000;
/** For this long, another process may still store an episode below the mark. */
const LATE: Seconds = 60;

/** The newest episode of a podcast, without its description. */
export type NewestEpisode = Omit<Episode, 'description'>;

interface Known {
  episode: NewestEpisode | undefined;
  /** Mark of the directory at that time. */
  mark: Stamp;
}

export interface NewestEpisodes {
  /** By the URL of each podcast in the directory; takes these URLs. Reads only what is new since the last call. */
  find(podcasts: readonly Url[]): Promise<Map<Url, NewestEpisode>>;
}

export function createNewestEpisodes(podcasts: Pick<PodcastStore, 'episodesSince'>): NewestEpisodes {
  const known = new LRUCache<Url, Known>({ max: KEPT });

  const update = async (urls: readonly Url[], since: Stamp): Promise<void> => {
    const { items, mark } = await podcasts.episodesSince(urls, since, 1);
    const found = new Map(items.map((item) => [item.podcast, withoutDescription(item)]));
    for (const url of urls) known.set(url, { episode: newer(known.get(url)?.episode, found.get(url)), mark });
  };

  return {
    async find(urls) {
      const read = urls.flatMap((url) => known.get(url) ?? []);
      const unread = urls.filter((url) => !known.has(url));
      if (unread.length > 0) await update(unread, 0);
      if (read.length > 0) await update(urls, Math.max(0, Math.min(...read.map(({ mark }) => mark)) - LATE));
      return new Map(
        urls.flatMap((url) => {
          const episode = known.get(url)?.episode;
          return episode ? [[url, episode]] : [];
        }),
      );
    },
  };
}

function withoutDescription(item: Episode): NewestEpisode {
  const { description: _, ...episode } = item;
  return episode;
}

/** An episode that was found later may have been released earlier. */
function newer(before: NewestEpisode | undefined, after: NewestEpisode | undefined): NewestEpisode | undefined {
  if (!before || !after) return after ?? before;
  return (after.releasedAt ?? 0) >= (before.releasedAt ?? 0) ? after : before;
}
