import { LRUCache } from 'lru-cache';
import type { Seconds, Stamp, Url } from '../../domain/types.ts';
import type { Episode, PodcastStore } from '../../storage/stores.ts';

/** Podcasts whose newest episode stays in memory. */
const KEPT = 50_000;
/** Another process may store an episode below the mark for so long. */
const LATE: Seconds = 60;

/** The newest episode of podcasts, without its description. */
export type NewestEpisode = Omit<Episode, 'description'>;

interface Known {
  episode: NewestEpisode | undefined;
  /** Of the directory when it was read. */
  mark: Stamp;
}

export interface NewestEpisodes {
  /** By the URL that each podcast is shown under; takes these URLs. Reads only what is new since the last time. */
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

/** An episode that was seen later may have been released earlier. */
function newer(before: NewestEpisode | undefined, after: NewestEpisode | undefined): NewestEpisode | undefined {
  if (!before || !after) return after ?? before;
  return (after.releasedAt ?? 0) >= (before.releasedAt ?? 0) ? after : before;
}
