import type { FeedProgress, PodcastInfo, Url } from '../../../src/old-plugin.ts';
import { type PodcastId, toInfoColumns } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { EpisodeShelf } from './episode-shelf.ts';
import type { SearchIndex } from './search-index.ts';
import { createTagTable } from './tag-table.ts';

/** What is known of podcasts. All of it to be called inside a write, with the podcasts locked. */
export interface PodcastTable {
  /** Makes one podcast of two that turn out to be the same: all that hangs from `from` goes to `id`. */
  unite(connection: Connection, id: PodcastId, from: PodcastId): Promise<void>;
  /** Makes a podcast found under a URL, too. False when the URL is known already. */
  addUrl(connection: Connection, id: PodcastId, url: Url): Promise<boolean>;
  /** Shows a podcast under one of its URLs from now on. False when it was already. */
  show(connection: Connection, id: PodcastId, url: Url): Promise<boolean>;
  setFeed(connection: Connection, id: PodcastId, feed: FeedProgress): Promise<void>;
  /** False when that is known already. */
  describe(connection: Connection, id: PodcastId, info: PodcastInfo): Promise<boolean>;
  /** Makes a podcast found by its tags and its words as they are now. */
  index(connection: Connection, id: PodcastId): Promise<void>;
}

export function createPodcastTable(database: Database, shelf: EpisodeShelf, search: SearchIndex): PodcastTable {
  const tags = createTagTable(database);
  const addUrl = database.prepare(
    'INSERT INTO podcast_urls (url, podcast_id) VALUES (@url, @id) ON CONFLICT DO NOTHING',
  );
  const show = database.prepare('UPDATE podcasts SET url = @url WHERE id = @id AND url <> @url');
  const setFeed = database.prepare(
    `UPDATE podcasts SET etag = @etag, last_modified = @lastModified, interval_seconds = @intervalSeconds,
       failures = @failures, next_at = @nextAt, fetched_at = @fetchedAt, error = @error, claimed_until = 0
     WHERE id = @id`,
  );
  const describe = database.prepare(
    `UPDATE podcasts SET title = @title, author = @author, description = @description, website = @website,
       logo_url = @logoUrl, logo_hash = @logoHash, language = @language, tags = @tags
     WHERE id = @id
     AND (title, author, description, website, logo_url, language, tags)
       IS DISTINCT FROM (@title, @author, @description, @website, @logoUrl, @language, @tags)`,
  );
  // What was only announced gives way to what was read.
  const inherit = database.prepare(
    `UPDATE podcasts SET title = heard.title, author = heard.author, description = heard.description,
       website = heard.website, logo_url = heard.logo_url, logo_hash = heard.logo_hash, language = heard.language,
       tags = heard.tags
     FROM podcasts AS heard
     WHERE podcasts.id = @id AND heard.id = @from AND podcasts.fetched_at IS NULL AND heard.fetched_at IS NOT NULL`,
  );
  /** All that hangs from the podcast `from` goes to the podcast `id`, which is counted anew. */
  const moves = [
    'UPDATE podcast_urls SET podcast_id = @id WHERE podcast_id = @from',
    `INSERT INTO followers (user_id, podcast_id) SELECT user_id, @id FROM followers WHERE podcast_id = @from
     ON CONFLICT DO NOTHING`,
    'DELETE FROM followers WHERE podcast_id = @from',
    'UPDATE toplists SET podcast_id = @id WHERE podcast_id = @from',
    `UPDATE podcasts SET subscribers = (SELECT count(*) FROM followers WHERE podcast_id = @id) WHERE id = @id`,
  ].map((sql) => database.prepare(sql));
  const remove = database.prepare('DELETE FROM podcasts WHERE id = @from');

  return {
    async unite(connection, id, from) {
      await inherit.run(connection, { id, from });
      await shelf.unite(connection, id, from);
      await tags.clear(connection, from);
      for (const move of moves) await move.run(connection, { id, from });
      await remove.run(connection, { from });
    },
    addUrl: async (connection, id, url) => (await addUrl.run(connection, { id, url })) > 0,
    show: async (connection, id, url) => (await show.run(connection, { id, url })) > 0,
    setFeed: async (connection, id, feed) => void (await setFeed.run(connection, { ...feed, id })),
    describe: async (connection, id, info) => (await describe.run(connection, { ...toInfoColumns(info), id })) > 0,
    async index(connection, id) {
      await tags.update(connection, id);
      await search.update(connection, [id]);
    },
  };
}
