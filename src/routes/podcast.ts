import type { Url } from '../domain/types.ts';
import { episodePage, podcastPage } from '../http/links.ts';
import type { KnownPodcast } from '../services/directory.ts';

/** What may be known of an episode beside its URLs. */
export interface KnownEpisode {
  podcast: Url;
  episode: Url;
  title?: string;
  podcastTitle?: string;
  description?: string;
  website?: string;
  /** As it goes out: ISO 8601 without zone. */
  released?: string;
}

/** A podcast as clients get it (spec 2.2), all keys always there: some clients refuse an object that lacks one. */
export function toPodcastObject(podcast: KnownPodcast, base: string): Record<string, string | number | null> {
  const { url, title, author = '', description = '', website = '', logoUrl = null, subscribers = 0 } = podcast;
  const page = podcastPage(base, url);
  return {
    url,
    title: title || url,
    author,
    description,
    subscribers,
    subscribers_last_week: subscribers,
    logo_url: logoUrl,
    website,
    svc_link: page,
    mygpo_link: page,
  };
}

/** An episode as clients get it (spec 2.3), all keys always there. */
export function toEpisodeObject(known: KnownEpisode, base: string): Record<string, string> {
  const { podcast, episode, title, podcastTitle, description = '', website = '', released = '' } = known;
  const page = episodePage(base, podcast, episode);
  return {
    title: title || episode,
    url: episode,
    podcast_title: podcastTitle || podcast,
    podcast_url: podcast,
    description,
    website,
    released,
    svc_link: page,
    mygpo_link: page,
  };
}
