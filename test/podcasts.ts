import { emptyPodcast, type EpisodeInfo, type PodcastInfo } from '../src/domain/types.ts';
import type { ParsedFeed } from '../src/feeds/parse.ts';
import type { FeedResult, Storage } from '../src/storage/stores.ts';

/** A podcast with the given fields; the others are empty. */
export const podcastInfo = (fields: Partial<PodcastInfo> = {}): PodcastInfo => ({
  ...emptyPodcast(),
  ...fields,
});

/** A feed with the given fields; the others are empty. */
export const parsedFeed = (fields: Partial<ParsedFeed> = {}): ParsedFeed => ({
  ...podcastInfo(),
  guid: null,
  movedTo: null,
  episodes: [],
  ...fields,
});

/** An episode with the given fields; the others are empty. */
export const episodeInfo = (fields: Partial<EpisodeInfo> & { url: string }): EpisodeInfo => ({
  title: '',
  description: '',
  website: '',
  ...fields,
});

/** Stores a feed as if it had been fetched. */
export const recordFeed = (
  { podcasts }: Storage,
  url: string,
  podcast: Partial<PodcastInfo> = {},
  episodes: readonly (Partial<EpisodeInfo> & { url: string })[] = [],
  more: Partial<FeedResult> = {},
): Promise<void> =>
  podcasts.record(url, {
    state: { url, intervalSeconds: 3600, failures: 0, nextAt: 1_700_259_200, fetchedAt: 1_700_000_000 },
    content: { podcast: podcastInfo(podcast), episodes: episodes.map(episodeInfo) },
    ...more,
  });
