import type { Episode, Seconds, Stamp, Url } from '../../../src/old-plugin.ts';

export interface EpisodeRow {
  podcast: Url;
  url: Url;
  guid: string | null;
  title: string;
  description: string;
  website: string;
  released_at: Seconds | null;
  stamp: Stamp;
}

/** The columns of an EpisodeRow, joined with its podcast. */
export const EPISODE = `podcasts.url AS podcast, episodes.url AS url, guid, episodes.title AS title,
  episodes.description AS description, episodes.website AS website, released_at, stamp`;

export const toEpisode = (row: EpisodeRow): Episode => ({
  podcast: row.podcast,
  url: row.url,
  ...(row.guid !== null && { guid: row.guid }),
  title: row.title,
  description: row.description,
  website: row.website,
  ...(row.released_at !== null && { releasedAt: row.released_at }),
  stamp: row.stamp,
});
