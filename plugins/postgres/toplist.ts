import { isDeepStrictEqual } from 'node:util';
import type { RankedPodcast, Seconds, UserId } from '../../src/plugin.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { PODCAST, type PodcastId, type PodcastRow, toPodcast } from '../sql/podcast-row.ts';
import type { Stamps } from './stamps.ts';

const LENGTH = 100;
/** So many podcasts are counted in one go. */
const PAGE = 500;
/** Before all users. */
const NOBODY = '0' as UserId;
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

export function createToplist(database: Database, stamps: Stamps, directory: Directory): Toplist {
  const top = database.prepare<PodcastRow & { position: number }>(
    `SELECT ${PODCAST}, coalesce((
       SELECT min(place) FROM toplists WHERE podcast_id = podcasts.id AND at = (
         SELECT max(at) FROM toplists WHERE at <= (SELECT @now) - ${WEEK}
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
  const nextUser = database.prepare<{ id: UserId }>(
    'SELECT id::text AS id FROM users WHERE id > @after ORDER BY users.id LIMIT 1',
  );
  const lockUser = database.prepare('SELECT 1 FROM users WHERE id = @user FOR NO KEY UPDATE');
  const feedsOf = database.prepare<{ url: string }>(
    `SELECT DISTINCT url FROM subscriptions WHERE user_id = @user AND subscribed
     UNION SELECT url FROM followers JOIN podcasts ON podcasts.id = podcast_id WHERE user_id = @user`,
  );
  const lockPodcasts = database.prepare<{ id: PodcastId }>(
    `SELECT id FROM podcasts WHERE id > @after ORDER BY id LIMIT ${PAGE} FOR NO KEY UPDATE`,
  );
  const recount = database.prepare<{ id: PodcastId }>(
    `UPDATE podcasts SET subscribers = counted FROM (
       SELECT id AS counted_id, (SELECT count(*) FROM followers WHERE podcast_id = id) AS counted
       FROM unnest(@ids::bigint[]) AS id
     ) AS truth
     WHERE id = counted_id AND subscribers <> counted RETURNING id`,
  );
  const answers = new Map<number, readonly RankedPodcast[]>();

  return {
    top: (limit) =>
      database.read(async (connection) => {
        const rows = await top.all(connection, { limit });
        const podcasts = rows.map((row) => ({ ...toPodcast(row), positionLastWeek: row.position }));
        const before = answers.get(limit);
        if (before && isDeepStrictEqual(before, podcasts)) return before;
        answers.set(limit, podcasts);
        return podcasts;
      }),

    async recount() {
      const corrected = new Set<PodcastId>();
      for (let user: UserId | undefined = NOBODY; user !== undefined;) {
        const after: UserId = user;
        user = await database.write(async (connection) => {
          const next = (await nextUser.get(connection, { after }))?.id;
          if (next === undefined || (await lockUser.run(connection, { user: next })) === 0) return next;
          const urls = (await feedsOf.all(connection, { user: next })).map(({ url }) => url);
          for (const id of await directory.follow(connection, next, urls)) corrected.add(id);
          return next;
        });
      }
      for (let last: PodcastId | undefined = 0; last !== undefined;) {
        const after: PodcastId = last;
        last = await database.write(async (connection) => {
          const ids = (await lockPodcasts.all(connection, { after })).map(({ id }) => id);
          for (const { id } of await recount.all(connection, { ids })) corrected.add(id);
          return ids.at(-1);
        });
      }
      return corrected.size;
    },

    keep: () =>
      database.write(async (connection) => {
        const { at } = await stamps.holdDirectory(connection); // one node at a time
        if (((await newest.get(connection, {}))!.at ?? -Infinity) > at - KEPT_EVERY) return;
        await keep.run(connection, { at });
        await forget.run(connection, { weekAgo: at - WEEK });
      }),

    size: () => database.read(async (connection) => (await size.get(connection, {}))!.size),
  };
}
