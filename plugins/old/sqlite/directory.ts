import type { Url, UserId } from '../../../src/old-plugin.ts';
import { PODCAST, type PodcastId, type PodcastRow } from '../sql/podcast-row.ts';
import type { Database } from './database.ts';
import type { SearchIndex } from './search-index.ts';

/** Which podcasts there are, and who follows them. All of it to be called inside a read or a write. */
export interface Directory {
  /** By any URL that it had. */
  idOf(url: Url): PodcastId | undefined;
  find(url: Url): PodcastRow | undefined;
  /** Feeds that were heard of: creates those that are unknown. */
  meet(urls: readonly Url[]): void;
  /** Notes which of these feeds the user subscribes to now, on any device. Answers those that changed. */
  follow(user: UserId, urls: readonly Url[]): PodcastId[];
}

export function createDirectory(database: Database, search: SearchIndex): Directory {
  const idOf = database.prepare<{ id: PodcastId }>('SELECT podcast_id AS id FROM podcast_urls WHERE url = @url');
  const find = database.prepare<PodcastRow>(
    `SELECT ${PODCAST} FROM podcast_urls JOIN podcasts ON podcasts.id = podcast_id WHERE podcast_urls.url = @url`,
  );
  const insert = database.prepare<{ id: PodcastId; url: Url }>(
    `INSERT INTO podcasts (url, next_at)
     SELECT DISTINCT value, @at FROM json_each(@urls)
     WHERE NOT EXISTS (SELECT 1 FROM podcast_urls WHERE url = value) RETURNING id, url`,
  );
  const insertUrls = database.prepare(
    `INSERT INTO podcast_urls (url, podcast_id)
     SELECT value ->> 'url', value ->> 'id' FROM json_each(@created)`,
  );
  // CROSS JOIN: from the few URLs of the podcast to the subscriptions, not the other way.
  const unfollow = database.prepare<{ id: PodcastId }>(
    `DELETE FROM followers
     WHERE user_id = @user
     AND podcast_id IN (SELECT podcast_id FROM podcast_urls WHERE url IN (SELECT value FROM json_each(@urls)))
     AND NOT EXISTS (
       SELECT 1 FROM podcast_urls CROSS JOIN subscriptions ON subscriptions.url = podcast_urls.url
       WHERE podcast_urls.podcast_id = followers.podcast_id AND user_id = @user AND subscribed
     ) RETURNING podcast_id AS id`,
  );
  const follow = database.prepare<{ id: PodcastId }>(
    `INSERT INTO followers (user_id, podcast_id)
     SELECT DISTINCT @user, podcast_id
     FROM podcast_urls JOIN subscriptions ON subscriptions.url = podcast_urls.url
     WHERE podcast_urls.url IN (SELECT value FROM json_each(@urls)) AND user_id = @user AND subscribed
     ON CONFLICT DO NOTHING RETURNING podcast_id AS id`,
  );

  return {
    idOf: (url) => idOf.get({ url })?.id,
    find: (url) => find.get({ url }),
    meet(urls) {
      if (urls.length === 0) return;
      const created = insert.all({ urls: JSON.stringify(urls), at: database.context.now() });
      if (created.length === 0) return;
      insertUrls.run({ created: JSON.stringify(created) });
      // After all rows: each row that comes between makes SQLite write out what the full-text index has gathered.
      search.update(created.map(({ id }) => id));
    },
    follow(user, urls) {
      if (urls.length === 0) return [];
      const values = { user, urls: JSON.stringify(urls) };
      return [...unfollow.all(values), ...follow.all(values)].map(({ id }) => id);
    },
  };
}
