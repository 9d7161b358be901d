import type { EpisodeInfo, PodcastInfo, Url } from '../../../../src/domain/types.ts';
import type { Episode, FeedResult, FeedState, Storage } from '../../../../src/storage/stores.ts';
import { feed, numbersOf } from '../samples.ts';

/** The content of a feed, with the given fields replaced. */
export const info = (fields: Partial<PodcastInfo> = {}): PodcastInfo => ({
  title: 'A podcast',
  author: 'Somebody',
  description: 'About something.',
  website: 'https://podcasts.example/',
  logoUrl: 'https://podcasts.example/logo.png',
  language: 'en',
  tags: [],
  blocked: false,
  ...fields,
});

/** Episode number `n`, released in the order of numbers, with the given fields replaced. */
export const episode = (n: number, fields: Partial<EpisodeInfo> = {}): EpisodeInfo => ({
  url: `https://podcasts.example/episode/${n}`,
  guid: `guid of ${n}`,
  title: `Episode ${n}`,
  description: `Description of ${n}`,
  website: `https://podcasts.example/episodes/${n}`,
  releasedAt: 1_600_000_000 + n,
  ...fields,
});

/** Episodes numbered from `first` on, newest first. */
export const episodes = (count: number, first = 1): EpisodeInfo[] =>
  Array.from({ length: count }, (_, i) => episode(first + i)).toReversed();

export const state = (url: Url, fields: Partial<FeedState> = {}): FeedState => ({
  url,
  intervalSeconds: 3600,
  failures: 0,
  nextAt: 1_800_003_600,
  fetchedAt: 1_800_000_000,
  ...fields,
});

/** Finds one episode by name. */
export const findEpisode = async (
  { podcasts }: Pick<Storage, 'podcasts'>,
  podcast: Url,
  name: string,
): Promise<Episode | undefined> => (await podcasts.findEpisodes(podcast, [{ episode: name }]))[0];

/** Stores the result of fetching feed number `n`, with these episodes. */
export const recordFeed = (
  { podcasts }: Pick<Storage, 'podcasts'>,
  n: number | string,
  podcast: Partial<PodcastInfo> = {},
  found: readonly EpisodeInfo[] = [],
  more: Partial<FeedResult> = {},
): Promise<void> =>
  podcasts.record(feed(n), { state: state(feed(n)), content: { podcast: info(podcast), episodes: found }, ...more });

/** Numbers of the stored episodes, in order. */
export const episodeNumbers = async (
  { podcasts }: Pick<Storage, 'podcasts'>,
  n: number | string = 1,
  limit = 2000,
): Promise<number[]> => numbersOf(await podcasts.episodes(feed(n), limit));
