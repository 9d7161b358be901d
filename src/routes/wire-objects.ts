import { formatTimestamp } from '../domain/timestamp.ts';
import type { EpisodeAction, Stamp, Url } from '../domain/types.ts';
import { writeEntries, writePages } from '../formats/pages.ts';
import { episodePage, podcastPage } from '../pages/parts/links.ts';
import type { KnownEpisode, KnownPodcast } from '../services/directory/directory.ts';

/** An episode and its podcast, as far as they are known. */
type EpisodeOfPodcast = KnownEpisode & { podcast: Url; podcastTitle: string };

/** A podcast as sent to clients (spec 2.2). All keys are always present: some clients reject an object without one. */
export function toPodcastObject(podcast: KnownPodcast, base: string): Record<string, string | number | null> {
  const { url, title, author = '', description = '', website = '', logoUrl = null, subscribers = 0 } = podcast;
  const page = podcastPage(base, url);
  return {
    url,
    title: title || url,
    author,
    description,
    subscribers,
    subscribers_last_week: subscribers, // last week's number is not stored
    logo_url: logoUrl,
    website,
    svc_link: page,
    mygpo_link: page,
  };
}

/** An episode as sent to clients (spec 2.3). All keys are always present. */
export function toEpisodeObject(known: EpisodeOfPodcast, base: string): Record<string, string> {
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

/** An episode action as sent to clients. */
export type WireAction = Record<string, unknown>;

/**
 * An episode action as sent to clients of version 2 (spec 2.7). Only plays have times, and only known ones: otherwise
 * clients reject the whole response.
 */
export function toActionObject({ podcast, episode, device, guid, action, timestamp, play }: EpisodeAction): WireAction {
  return { podcast, episode, device, guid, action, timestamp: formatTimestamp(timestamp), ...play };
}

/** The same in the Nextcloud dialect: all keys are always present, with -1 for an unknown time. */
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

/** Episode actions with their mark, as JSON that is generated while it is sent. */
export const writeActions = (
  pages: AsyncIterable<EpisodeAction[]>,
  mark: Stamp,
  toWire: (action: EpisodeAction) => object,
): AsyncIterable<string> =>
  writePages(pages, {
    head: '{"actions":[',
    write: (page) => writeEntries(page.map(toWire)),
    separator: ',',
    end: `],"timestamp":${mark}}`,
  });
