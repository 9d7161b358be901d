import { groupBy } from '../../batches.ts';
import type { Url } from '../../domain/types.ts';
import type { Episode, EpisodeName, Podcast, PodcastStore } from '../../storage/stores.ts';
import { resolvePodcasts } from './resolve-podcasts.ts';

/** What is shown of an episode and its podcast. Texts are empty, and the logo null, if unknown. */
export interface EpisodeNames {
  /** In the directory, otherwise as it was named. */
  url: Url;
  title: string;
  podcastTitle: string;
  language: string;
  logoUrl: string | null;
}

/** An episode as an action names it. */
export type EpisodeReference = EpisodeName & { podcast: Url };

/** The names of episodes in the directory, in the given order. */
export async function findNames(
  podcasts: Pick<PodcastStore, 'find' | 'findEpisodes'>,
  named: readonly EpisodeReference[],
): Promise<EpisodeNames[]> {
  const byPodcast = groupBy(named, ({ podcast }) => podcast);
  const resolved = await resolvePodcasts(podcasts, byPodcast.keys());
  const found = new Map<EpisodeReference, Episode | undefined>();
  for (const [url, references] of byPodcast) {
    const known = await podcasts.findEpisodes(url, references);
    for (const [at, each] of references.entries()) found.set(each, known[at]);
  }
  return named.map((each) => {
    const { url, title } = found.get(each) ?? { url: each.episode, title: '' };
    return { url, title, ...podcastNames(resolved.get(each.podcast)) };
  });
}

/** What all episodes of a podcast have in common. */
export const podcastNames = (podcast: Podcast | undefined): Omit<EpisodeNames, 'url' | 'title'> => ({
  podcastTitle: podcast?.title ?? '',
  language: podcast?.language ?? '',
  logoUrl: podcast?.logoUrl ?? null,
});
