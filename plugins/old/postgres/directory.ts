import type { Url, UserId } from '../../../src/old-plugin.ts';
import { PODCAST, type PodcastId, type PodcastRow } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * Which podcasts there are, and who follows them. What changes them is to be called inside a write.
 *
 * Two users of the same feeds must not wait for each other: rows that users share are taken in one order, first the URLs
 * of new podcasts by URL, then the podcasts by id. Where that does not help, PostgreSQL ends one of the two writes, which
 * then runs again.
 */
export interface Directory {
  /** By any URL that it had. */
  idOf(connection: Connection, url: Url): Promise<PodcastId | undefined>;
  idsOf(connection: Connection, urls: readonly Url[]): Promise<ReadonlyMap<Url, PodcastId>>;
  find(connection: Connection, urls: readonly Url[]): Promise<ReadonlyMap<Url, PodcastRow>>;
  /**
   * Locks the podcasts of those URLs that are known: until the end of the transaction nobody else changes them, or
   * makes one of two.
   */
  hold(connection: Connection, urls: readonly Url[]): Promise<ReadonlyMap<Url, PodcastId>>;
  /** Feeds that were heard of: creates those that are unknown. */
  meet(connection: Connection, urls: readonly Url[]): Promise<void>;
  /**
   * Meets these feeds, and notes which of them the user subscribes to now, on any device. Answers the podcasts that
   * changed.
   */
  follow(connection: Connection, user: UserId, urls: readonly Url[]): Promise<PodcastId[]>;
  /** For a user who is about to be removed. */
  unfollowAll(connection: Connection, user: UserId): Promise<void>;
}

export function createDirectory(database: Database, search: SearchIndex): Directory {
  const idsOf = database.prepare<{ asked: Url; id: PodcastId }>(
    `SELECT asked, podcast_id AS id FROM unnest(@urls::text[]) AS asked JOIN podcast_urls ON url_key = key_of(asked)`,
  );
  const find = database.prepare<PodcastRow & { asked: Url }>(
    `SELECT asked, ${PODCAST} FROM unnest(@urls::text[]) AS asked
     JOIN podcast_urls ON url_key = key_of(asked) JOIN podcasts ON podcasts.id = podcast_id`,
  );
  const lock = database.prepare('SELECT 1 FROM podcasts WHERE id = ANY(@ids::bigint[]) ORDER BY id FOR NO KEY UPDATE');
  const insertUrls = database.prepare<{ url: Url; id: PodcastId }>(
    `INSERT INTO podcast_urls (url, podcast_id)
     SELECT url, nextval(pg_get_serial_sequence('podcasts', 'id'))
     FROM (SELECT url FROM unnest(@urls::text[]) AS url ORDER BY url COLLATE "C") AS sorted
     ON CONFLICT DO NOTHING RETURNING url, podcast_id AS id`,
  );
  const insert = database.prepare(
    `INSERT INTO podcasts (id, url, next_at)
     SELECT id, url, @now FROM unnest(@ids::bigint[], @urls::text[]) AS met(id, url)`,
  );
  const urlsOf = database.prepare<{ url: Url; id: PodcastId }>(
    'SELECT url, podcast_id AS id FROM podcast_urls WHERE podcast_id = ANY(@ids::bigint[])',
  );
  const subscribed = database.prepare<{ url: Url }>(
    `SELECT DISTINCT url FROM subscriptions
     WHERE user_id = @user AND url_key IN (SELECT key_of(url) FROM unnest(@urls::text[]) AS url) AND subscribed`,
  );
  const unfollow = database.prepare<{ id: PodcastId }>(
    `WITH gone AS (
       DELETE FROM followers WHERE user_id = @user AND podcast_id = ANY(@ids::bigint[]) RETURNING podcast_id
     )
     UPDATE podcasts SET subscribers = subscribers - 1 WHERE id IN (SELECT podcast_id FROM gone) RETURNING id`,
  );
  const follow = database.prepare<{ id: PodcastId }>(
    `WITH come AS (
       INSERT INTO followers (user_id, podcast_id) SELECT @user, id FROM unnest(@ids::bigint[]) AS id
       ON CONFLICT DO NOTHING RETURNING podcast_id
     )
     UPDATE podcasts SET subscribers = subscribers + 1 WHERE id IN (SELECT podcast_id FROM come) RETURNING id`,
  );
  const followed = database.prepare<{ id: PodcastId }>('SELECT podcast_id AS id FROM followers WHERE user_id = @user');
  const toIds: Directory['idsOf'] = async (connection, urls) =>
    new Map((await idsOf.all(connection, { urls })).map(({ asked, id }) => [asked, id]));

  /** Always in the same order. False where one is gone. */
  const takeLock = async (connection: Connection, ids: readonly PodcastId[]): Promise<boolean> =>
    (await lock.run(connection, { ids })) === new Set(ids).size;

  const meet: Directory['meet'] = async (connection, urls) => {
    if (urls.length === 0) return;
    const named = [...new Set(urls)];
    const known = await toIds(connection, named);
    const unknown = named.filter((url) => !known.has(url));
    if (unknown.length === 0) return;
    const met = await insertUrls.all(connection, { urls: unknown });
    const ids = met.map(({ id }) => id);
    await insert.run(connection, { ids, urls: met.map(({ url }) => url) });
    await search.update(connection, ids);
  };

  const hold: Directory['hold'] = async (connection, urls) => {
    for (;;) {
      const found = await toIds(connection, urls);
      if (await takeLock(connection, [...found.values()])) return found; // else one was united with another meanwhile
    }
  };

  return {
    idOf: async (connection, url) => (await toIds(connection, [url])).get(url),
    idsOf: toIds,
    find: async (connection, urls) =>
      new Map((await find.all(connection, { urls })).map(({ asked, ...row }) => [asked, row])),
    hold,
    meet,
    async follow(connection, user, urls) {
      if (urls.length === 0) return [];
      await meet(connection, urls);
      const ids = [...new Set((await hold(connection, urls)).values())];
      const held = await urlsOf.all(connection, { ids });
      const rows = await subscribed.all(connection, { user, urls: held.map(({ url }) => url) });
      const wanted = new Set(rows.map(({ url }) => url));
      const followedIds = new Set(held.filter(({ url }) => wanted.has(url)).map(({ id }) => id));
      const others = ids.filter((id) => !followedIds.has(id));
      const gone = await unfollow.all(connection, { user, ids: others });
      const come = await follow.all(connection, { user, ids: [...followedIds] });
      return [...gone, ...come].map(({ id }) => id);
    },
    async unfollowAll(connection, user) {
      let ids: PodcastId[];
      do {
        ids = (await followed.all(connection, { user })).map(({ id }) => id);
      } while (!(await takeLock(connection, ids)));
      await unfollow.run(connection, { user, ids });
    },
  };
}
