import type { Url } from '../../domain/types.ts';
import type { Podcast, PodcastStore } from '../../storage/stores.ts';

/** Podcasts in the directory, by the URLs under which an account knows them. */
export interface ResolvedPodcasts {
  /** Undefined if the directory does not know the podcast. */
  get(url: Url): Podcast | undefined;
  /** The URL of the podcast in the directory, which differs for a former URL; of an unknown one, the same URL. */
  currentUrl(url: Url): Url;
}

/** Looks up podcasts in the directory: an account may know one under several URLs, as feeds move. */
export async function resolvePodcasts(
  podcasts: Pick<PodcastStore, 'find'>,
  urls: Iterable<Url>,
): Promise<ResolvedPodcasts> {
  const distinct = [...new Set(urls)];
  const found = await podcasts.find(distinct);
  const byUrl = new Map(distinct.map((url, at) => [url, found[at]]));
  return { get: (url) => byUrl.get(url), currentUrl: (url) => byUrl.get(url)?.url ?? url };
}
