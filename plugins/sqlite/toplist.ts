import type { Seconds, UserId } from '../../src/plugin.ts';
import { TOPLIST_EVERY, WEEK } from '../directory-rules.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import { FEEDS_OF, FORGET, KEEP, NEWEST, type RankedRow, SIZE, TOP, type Toplist, toRanked } from '../sql/toplist.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';

/** Podcasts that are counted in one go. */
const PAGE = 1000;
/** Before all users. */
const NOBODY = '0' as UserId;

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

  /** Takes note of what the next user subscribes to. Answers the user; undefined after the last one. */
  const followNext = (after: UserId, corrected: Set<PodcastId>): Promise<UserId | undefined> =>
    database.write(() => {
      const user = nextUser.get({ after })?.id;
      if (user === undefined) return undefined;
      const urls = feedsOf.all({ user }).map(({ url }) => url);
      for (const id of directory.follow(user, urls)) corrected.add(id);
      return user;
    });

  /** Counts the followers of the next podcasts. Answers the last of these; undefined when there are none. */
  const countNext = (after: PodcastId, corrected: Set<PodcastId>): Promise<PodcastId | undefined> =>
    database.write(() => {
      const last = lastOfPage.get({ after })!.id ?? undefined;
      if (last !== undefined) for (const { id } of recount.all({ after, last })) corrected.add(id);
      return last;
    });

  /** Counts all podcasts once more, user by user; answers how many were counted wrong. */
  const recountAll = async (): Promise<number> => {
    const corrected = new Set<PodcastId>();
    let user: UserId | undefined = NOBODY;
    while (user !== undefined) user = await followNext(user, corrected);
    let podcast: PodcastId | undefined = 0;
    while (podcast !== undefined) podcast = await countNext(podcast, corrected);
    return corrected.size;
  };

  /** Keeps today's, unless that was done. */
  const keepToday = (): Promise<void> =>
    database.write(() => {
      const at = now();
      if ((newest.get({})!.at ?? -Infinity) > at - TOPLIST_EVERY) return;
      keep.run({ at });
      forget.run({ weekAgo: at - WEEK });
    });

  return {
    top: (limit) => database.read(() => top.all({ limit, now: now() }).map(toRanked)),

    async rebuildToplist() {
      const corrected = await recountAll();
      await keepToday();
      return { podcasts: await database.read(() => size.get({})!.size), corrected };
    },
  };
}
