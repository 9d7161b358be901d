import type { Seconds, UserId } from '../../../src/old-plugin.ts';
import { TOPLIST_EVERY, WEEK } from '../directory-rules.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import { rebuild, type RebuildSteps } from '../sql/rebuild.ts';
import { FEEDS_OF, FORGET, KEEP, NEWEST, type RankedRow, SIZE, TOP, type Toplist, toRanked } from '../sql/toplist.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { Stamps } from './stamps.ts';

/** Podcasts that are counted in one go. */
const PAGE = 500;

export function createToplist(database: Database, stamps: Stamps, directory: Directory): Toplist {
  const top = database.prepare<RankedRow>(TOP);
  const newest = database.prepare<{ at: Seconds | null }>(NEWEST);
  const keep = database.prepare(KEEP);
  const forget = database.prepare(FORGET);
  const size = database.prepare<{ size: number }>(SIZE);
  const nextUser = database.prepare<{ id: UserId }>(
    'SELECT id::text AS id FROM users WHERE id > @after ORDER BY users.id LIMIT 1',
  );
  const feedsOf = database.prepare<{ url: string }>(FEEDS_OF);
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

  const steps: RebuildSteps = {
    followNext: (after, corrected) =>
      database.write(async (connection) => {
        const user = (await nextUser.get(connection, { after }))?.id;
        if (user === undefined || !(await stamps.tryLockUser(connection, user))) return user;
        const urls = (await feedsOf.all(connection, { user })).map(({ url }) => url);
        for (const id of await directory.follow(connection, user, urls)) corrected.add(id);
        return user;
      }),

    countNext: (after, corrected) =>
      database.write(async (connection) => {
        const ids = (await lockPodcasts.all(connection, { after })).map(({ id }) => id);
        for (const { id } of await recount.all(connection, { ids })) corrected.add(id);
        return ids.at(-1);
      }),

    keepToday: () =>
      database.write(async (connection) => {
        const { at } = await stamps.holdDirectory(connection); // one node at a time
        if (((await newest.get(connection, {}))!.at ?? -Infinity) > at - TOPLIST_EVERY) return;
        await keep.run(connection, { at });
        await forget.run(connection, { weekAgo: at - WEEK });
      }),

    size: () => database.read(async (connection) => (await size.get(connection, {}))!.size),
  };

  return {
    top: (limit) => database.read(async (connection) => (await top.all(connection, { limit })).map(toRanked)),
    rebuildToplist: () => rebuild(steps),
  };
}
