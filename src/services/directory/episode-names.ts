import { groupBy } from '../../batches.ts';
import type { Url } from '../../domain/types.ts';
import type { Podcast, PodcastStore } from '../../storage/stores.ts';
import { resolvePodcasts } from './resolve-podcasts.ts';

/** Titles of an episode and its podcast, their language, and the logo. Texts are empty, and the logo null, if unknown. */
export interface EpisodeNames {
  title: string;
  podcastTitle: string;
  language: string;
  logoUrl: string | null;
}

/** An episode as an action names it. */
export interface EpisodeReference {
  podcast: Url;
  episode: Url;
}

/** The names of episodes in the directory, in the given order. */
export async function findNames(
  podcasts: Pick<PodcastStore, 'find' | 'findEpisodes'>,
  named: readonly EpisodeReference[],
): Promise<EpisodeNames[]> {
  const byPodcast = groupBy(named, ({ podcast }) => podcast);
  const resolved = await resolvePodcasts(podcasts, byPodcast.keys());
  const titles = new Map<Url, ReadonlyMap<Url, string>>();
  for (const [url, references] of byPodcast) {
    if (!resolved.get(url)) continue;
    const episodes = references.map(({ episode }) => episode);
    const known = await podcasts.findEpisodes(url, episodes);
    titles.set(url, new Map(episodes.map((episode, at) => [episode, known[at]?.title ?? ''])));
  }
  return named.map(({ podcast, episode }) => ({
    title: titles.get(podcast)?.get(episode) ?? '',
    ...podcastNames(resolved.get(podcast)),
  }));
}

/** What all episodes of a podcast have in common. */
export const podcastNames = (podcast: Podcast | undefined): Omit<EpisodeNames, 'title'> => ({
  podcastTitle: podcast?.title ?? '',
  language: podcast?.language ?? '',
  logoUrl: podcast?.logoUrl ?? null,
});
