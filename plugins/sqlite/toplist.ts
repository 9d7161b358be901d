import type { RankedPodcast, Seconds, UserId } from '../../src/plugin.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { PODCAST, type PodcastId, type PodcastRow, toPodcast } from '../sql/podcast-row.ts';

const LENGTH = 100;
/** Podcasts that are counted in one go. */
const PAGE = 1000;
/** A bit less than a day, so that none is missed when they are kept daily. */
export const KEPT_EVERY: Seconds = 23 * 3600;
const WEEK: Seconds = 7 * 86_400;

/** The podcasts with the most subscribers, now and a week ago. */
export interface Toplist {
  top(limit: number): Promise<readonly RankedPodcast[]>;
  /** Counts all podcasts once more, user by user; answers how many were counted wrong. */
  recount(): Promise<number>;
  /** Keeps today's, unless that was done. */
  keep(): Promise<void>;
  /** How many podcasts have subscribers. */
  size(): Promise<number>;
}

export function createToplist(database: Database, directory: Directory): Toplist {
  const { now } = database.context;
  const top = database.prepare<PodcastRow & { position: number }>(
    `SELECT ${PODCAST}, ifnull((
       SELECT min(place) FROM toplists WHERE podcast_id = podcasts.id AND at = (
         SELECT max(at) FROM toplists WHERE at <= @weekAgo
       )
     ), 0) AS position
     FROM podcasts WHERE subscribers > 0 ORDER BY subscribers DESC, url LIMIT @limit`,
  );
  const newest = database.prepare<{ at: Seconds | null }>('SELECT max(at) AS at FROM toplists');
  const keep = database.prepare(
    `INSERT INTO toplists (at, place, podcast_id)
     SELECT @at, row_number() OVER (ORDER BY subscribers DESC, url), id
     FROM podcasts WHERE subscribers > 0 ORDER BY subscribers DESC, url LIMIT ${LENGTH}`,
  );
  const forget = database.prepare(
    'DELETE FROM toplists WHERE at < (SELECT max(at) FROM toplists WHERE at <= @weekAgo)',
  );
  const size = database.prepare<{ size: number }>('SELECT count(*) AS size FROM podcasts WHERE subscribers > 0');
  const nextUser = database.prepare<{ id: string }>(
    'SELECT CAST(id AS TEXT) AS id FROM users WHERE id > @after ORDER BY id LIMIT 1',
  );
  const feedsOf = database.prepare<{ url: string }>(
    `SELECT DISTINCT url FROM subscriptions WHERE user_id = @user AND subscribed
     UNION SELECT url FROM followers JOIN podcasts ON podcasts.id = podcast_id WHERE user_id = @user`,
  );
  const lastOfPage = database.prepare<{ id: PodcastId | null }>(
    `SELECT max(id) AS id FROM (SELECT id FROM podcasts WHERE id > @after ORDER BY id LIMIT ${PAGE})`,
  );
  const counted = '(SELECT count(*) FROM followers WHERE podcast_id = podcasts.id)';
  const recount = database.prepare<{ id: PodcastId }>(
    `UPDATE podcasts SET subscribers = ${counted}
     WHERE id > @after AND id <= @last AND subscribers <> ${counted} RETURNING id`,
  );

  return {
    top: (limit) =>
      database.read(() => {
        const rows = top.all({ limit, weekAgo: now() - WEEK });
        return rows.map((row) => ({ ...toPodcast(row), positionLastWeek: row.position }));
      }),

    async recount() {
      const corrected = new Set<PodcastId>();
      let user: string | undefined = '0';
      while (user !== undefined) {
        const after: string = user;
        user = await database.write(() => {
          const next = nextUser.get({ after })?.id as UserId | undefined;
          if (next === undefined) return undefined;
          const urls = feedsOf.all({ user: next }).map(({ url }) => url);
          for (const id of directory.follow(next, urls)) corrected.add(id);
          return next;
        });
      }
      for (let page: PodcastId | null = 0; page !== null;) {
        const after: PodcastId = page;
        page = await database.write(() => {
          const last = lastOfPage.get({ after })!.id;
          if (last !== null) for (const { id } of recount.all({ after, last })) corrected.add(id);
          return last;
        });
      }
      return corrected.size;
    },

    keep: () =>
      database.write(() => {
        const at = now();
        if ((newest.get({})!.at ?? -Infinity) > at - KEPT_EVERY) return;
        keep.run({ at });
        forget.run({ weekAgo: at - WEEK });
      }),

    size: () => database.read(() => size.get({})!.size),
  };
}
