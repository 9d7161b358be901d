import type { EpisodeInfo, PodcastInfo } from '../src/domain/types.ts';
import type { FeedReading, Storage } from '../src/storage/stores.ts';

/** Stores a feed as if it had been fetched. */
export const recordFeed = (
  { podcasts }: Storage,
  url: string,
  podcast: Partial<PodcastInfo> = {},
  episodes: readonly (Partial<EpisodeInfo> & { url: string })[] = [],
  more: Partial<FeedReading> = {},
): Promise<void> => {
  const nothing = {
    title: '',
    author: '',
    description: '',
    website: '',
    logoUrl: null,
    language: '',
    tags: [],
    blocked: false,
  };
  return podcasts.record(url, {
    state: { url, intervalSeconds: 3600, failures: 0, nextAt: 1_700_259_200, fetchedAt: 1_700_000_000 },
    content: {
      podcast: { ...nothing, ...podcast },
      episodes: episodes.map((episode) => ({ title: '', description: '', website: '', ...episode })),
    },
    ...more,
  });
};
