import { formatTimestamp } from '../domain/timestamp.ts';
import type { EpisodeAction, EpisodeInfo, Stamp, Url } from '../domain/types.ts';
import { episodePage, podcastPage } from '../pages/links.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';

/** An episode, and what is known of it: maybe nothing beside its URLs. */
interface KnownEpisode extends Partial<EpisodeInfo> {
  url: Url;
  podcast: Url;
  podcastTitle: string;
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
  const { podcast, podcastTitle, url, title, description = '', website = '', releasedAt } = known;
  const page = episodePage(base, podcast, url);
  return {
    title: title || url,
    url,
    podcast_title: podcastTitle || podcast,
    podcast_url: podcast,
    description,
    website,
    released: releasedAt === undefined ? '' : formatTimestamp(releasedAt),
    svc_link: page,
    mygpo_link: page,
  };
}

/** An episode action as clients get it. */
export type WireAction = Record<string, unknown>;

/**
 * An episode action as clients of version 2 get it (spec 2.7). Only plays have times, and only those that are known: over
 * any other, clients reject the whole answer.
 */
export function toActionObject({ podcast, episode, device, guid, action, timestamp, play }: EpisodeAction): WireAction {
  return { podcast, episode, device, guid, action, timestamp: formatTimestamp(timestamp), ...play };
}

/** The same in the Nextcloud dialect: all keys always there, and -1 for a time that is not known. */
export function toNextcloudAction({ podcast, episode, guid, action, timestamp, play }: EpisodeAction): WireAction {
  const { started = -1, position = -1, total = -1 } = play ?? {};
  return {
    podcast,
    episode,
    guid: guid ?? null,
    action: action.toUpperCase(),
    timestamp: formatTimestamp(timestamp),
    started,
    position,
    total,
  };
}

/** Episode actions with their mark, as JSON that is written while it is sent. */
export async function* writeActions(
  pages: AsyncIterable<EpisodeAction[]>,
  mark: Stamp,
  toWire: (action: EpisodeAction) => object,
): AsyncIterable<string> {
  yield '{"actions":[';
  let comma = '';
  for await (const page of pages) {
    yield comma + page.map((action) => JSON.stringify(toWire(action))).join(',');
    comma = ',';
  }
  yield `],"timestamp":${mark}}`;
}
