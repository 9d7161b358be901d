import { createSlug, type FeedProgress, type PodcastInfo, type Url } from '../../../src/old-plugin.ts';
import { type PodcastId, toInfoColumns } from '../sql/podcast-row.ts';
import type { Database } from './database.ts';
import type { EpisodeShelf } from './episode-shelf.ts';
import type { SearchIndex } from './search-index.ts';

/** What is known of podcasts. All of it to be called inside a write. */
export interface PodcastTable {
  /** Makes one podcast of two that turn out to be the same: all that hangs from `from` goes to `id`. */
  unite(id: PodcastId, from: PodcastId): void;
  /** Makes a podcast found under a URL, too. */
  addUrl(id: PodcastId, url: Url): void;
  /** Shows a podcast under a URL from now on. False when it was already. */
  show(id: PodcastId, url: Url): boolean;
  setFeed(id: PodcastId, feed: FeedProgress): void;
  /** False when that is known already. */
  describe(id: PodcastId, info: PodcastInfo): boolean;
  /** Makes a podcast found by its tags and its words as they are now. */
  index(id: PodcastId): void;
}

export function createPodcastTable(database: Database, shelf: EpisodeShelf, search: SearchIndex): PodcastTable {
  const addUrl = database.prepare(
    `INSERT INTO podcast_urls (url, podcast_id) VALUES (@url, @id)
     ON CONFLICT DO UPDATE SET podcast_id = excluded.podcast_id`,
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
       IS NOT (@title, @author, @description, @website, @logoUrl, @language, @tags)`,
  );
  // What was only announced gives way to what was read.
  const inherit = database.prepare(
    `UPDATE podcasts SET (title, author, description, website, logo_url, logo_hash, language, tags) = (
       SELECT title, author, description, website, logo_url, logo_hash, language, tags FROM podcasts WHERE id = @from
     )
     WHERE id = @id AND fetched_at IS NULL AND (SELECT fetched_at FROM podcasts WHERE id = @from) IS NOT NULL`,
  );
  const meetTag = database.prepare('INSERT OR IGNORE INTO tags (slug, title) VALUES (@slug, @title)');
  const untag = database.prepare('DELETE FROM podcast_tags WHERE podcast_id = @id');
  const tag = database.prepare('INSERT OR IGNORE INTO podcast_tags (slug, podcast_id) VALUES (@slug, @id)');
  const tagsOf = database.prepare<{ tags: string }>('SELECT tags FROM podcasts WHERE id = @id');
  /** All that hangs from the podcast `from` goes to the podcast `id`. */
  const moves = [
    'UPDATE podcast_urls SET podcast_id = @id WHERE podcast_id = @from',
    'INSERT OR IGNORE INTO followers SELECT user_id, @id FROM followers WHERE podcast_id = @from',
    'DELETE FROM followers WHERE podcast_id = @from',
    'INSERT OR IGNORE INTO acted SELECT @id, name FROM acted WHERE podcast_id = @from',
    'UPDATE toplists SET podcast_id = @id WHERE podcast_id = @from',
  ].map((sql) => database.prepare(sql));
  const remove = database.prepare('DELETE FROM podcasts WHERE id = @from');

  const setTags = (id: PodcastId): void => {
    untag.run({ id });
    for (const title of JSON.parse(tagsOf.get({ id })!.tags) as string[]) {
      const slug = createSlug(title);
      if (slug === '') continue; // without a letter or digit it is none
      meetTag.run({ slug, title });
      tag.run({ slug, id });
    }
  };

  return {
    unite(id, from) {
      inherit.run({ id, from });
      shelf.unite(id, from);
      for (const move of moves) move.run({ id, from });
      search.remove(from);
      remove.run({ from });
    },
    addUrl: (id, url) => void addUrl.run({ id, url }),
    show(id, url) {
      addUrl.run({ id, url });
      return show.run({ id, url }).changes > 0;
    },
    setFeed: (id, feed) => void setFeed.run({ ...NOTHING_KNOWN, ...feed, id }),
    describe: (id, info) => describe.run({ ...toInfoColumns(info), id }).changes > 0,
    index(id) {
      setTags(id);
      search.update([id]);
    },
  };
}

const NOTHING_KNOWN = { etag: null, lastModified: null, nextAt: null, fetchedAt: null, error: null };
