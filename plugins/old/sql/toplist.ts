import type { PodcastStore, RankedPodcast } from '../../../src/old-plugin.ts';
import { TOPLIST_LENGTH, WEEK } from '../directory-rules.ts';
import { PODCAST, type PodcastRow, toPodcast } from './podcast-row.ts';

/** The podcasts with the most subscribers, now and a week ago. */
export type Toplist = Pick<PodcastStore, 'top' | 'rebuildToplist'>;

/** With the rank of each in the newest toplist of a week ago or earlier. */
export const TOP = `
  SELECT ${PODCAST}, coalesce((
    SELECT min(place) FROM toplists WHERE podcast_id = podcasts.id AND at = (
      SELECT max(at) FROM toplists WHERE at <= (SELECT @now) - ${WEEK}
    )
  ), 0) AS position
  FROM podcasts WHERE subscribers > 0 ORDER BY subscribers DESC, url LIMIT @limit`;

export interface RankedRow extends PodcastRow {
  position: number;
}

export const toRanked = (row: RankedRow): RankedPodcast => ({ ...toPodcast(row), positionLastWeek: row.position });

/** When the last toplist was kept. */
export const NEWEST = 'SELECT max(at) AS at FROM toplists';

export const KEEP = `
  INSERT INTO toplists (at, place, podcast_id)
  SELECT @at, row_number() OVER (ORDER BY subscribers DESC, url), id
  FROM podcasts WHERE subscribers > 0 ORDER BY subscribers DESC, url LIMIT ${TOPLIST_LENGTH}`;

/** Leaves those of the last week, and the one before. */
export const FORGET = 'DELETE FROM toplists WHERE at < (SELECT max(at) FROM toplists WHERE at <= @weekAgo)';

/** How many podcasts have subscribers. */
export const SIZE = 'SELECT count(*) AS size FROM podcasts WHERE subscribers > 0';

/** What a user subscribes to, and what the directory counts the user for. */
export const FEEDS_OF = `
  SELECT DISTINCT url FROM subscriptions WHERE user_id = @user AND subscribed
  UNION SELECT url FROM followers JOIN podcasts ON podcasts.id = podcast_id WHERE user_id = @user`;
