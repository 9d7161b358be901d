import type { Seconds, UserId } from '../../../src/old-plugin.ts';
import { TOPLIST_EVERY, WEEK } from '../directory-rules.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import { rebuild, type RebuildSteps } from '../sql/rebuild.ts';
import { FEEDS_OF, FORGET, KEEP, NEWEST, type RankedRow, SIZE, TOP, type Toplist, toRanked } from '../sql/toplist.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';

/** Podcasts that are counted in one go. */
const PAGE = 1000;

export function createToplist(database: Database, directory: Directory): Toplist {
  const { now } = database.context;
  const top = database.prepare<RankedRow>(TOP);
  const newest = database.prepare<{ at: Seconds | null }>(NEWEST);
  const keep = database.prepare(KEEP);
  const forget = database.prepare(FORGET);
  const size = database.prepare<{ size: number }>(SIZE);
  const nextUser = database.prepare<{ id: UserId }>(
    'SELECT CAST(id AS TEXT) AS id FROM users WHERE id > @after ORDER BY id LIMIT 1',
  );
  const feedsOf = database.prepare<{ url: string }>(FEEDS_OF);
  const lastOfPage = database.prepare<{ id: PodcastId | null }>(
    `SELECT max(id) AS id FROM (SELECT id FROM podcasts WHERE id > @after ORDER BY id LIMIT ${PAGE})`,
  );
  const counted = '(SELECT count(*) FROM followers WHERE podcast_id = podcasts.id)';
  const recount = database.prepare<{ id: PodcastId }>(
    `UPDATE podcasts SET subscribers = ${counted}
     WHERE id > @after AND id <= @last AND subscribers <> ${counted} RETURNING id`,
  );

  const steps: RebuildSteps = {
    followNext: (after, corrected) =>
      database.write(() => {
        const user = nextUser.get({ after })?.id;
        if (user === undefined) return undefined;
        const urls = feedsOf.all({ user }).map(({ url }) => url);
        for (const id of directory.follow(user, urls)) corrected.add(id);
        return user;
      }),

    countNext: (after, corrected) =>
      database.write(() => {
        const last = lastOfPage.get({ after })!.id ?? undefined;
        if (last !== undefined) for (const { id } of recount.all({ after, last })) corrected.add(id);
        return last;
      }),

    keepToday: () =>
      database.write(() => {
        const at = now();
        if ((newest.get({})!.at ?? -Infinity) > at - TOPLIST_EVERY) return;
        keep.run({ at });
        forget.run({ weekAgo: at - WEEK });
      }),

    size: () => database.read(() => size.get({})!.size),
  };

  return {
    top: (limit) => database.read(() => top.all({ limit, now: now() }).map(toRanked)),
    rebuildToplist: () => rebuild(steps),
  };
}
