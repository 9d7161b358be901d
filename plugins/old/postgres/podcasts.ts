import { createSlug, markAfter, type PodcastStore, type Tag, type Url } from '../../../src/old-plugin.ts';
import { EPISODE, type EpisodeRow, toEpisode } from '../sql/episode-row.ts';
import { FEED, type FeedRow, toFeedState } from '../sql/feed-state.ts';
import { PODCAST, type PodcastRow, toPodcast } from '../sql/podcast-row.ts';
import { createSuggestions } from './alongside.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { NEWEST_FIRST } from './episode-shelf.ts';
import type { SearchIndex } from './search-index.ts';
import type { Stamps } from './stamps.ts';
import { createToplist } from './toplist.ts';

const PAGE = 500;

/** The podcast that has the URL `@podcast`, or had it once. */
const ID = '(SELECT podcast_id FROM podcast_urls WHERE url_key = key_of(@podcast))';

export function createPodcastStore(
  database: Database,
  stamps: Stamps,
  directory: Directory,
  search: SearchIndex,
  record: PodcastStore['record'],
): PodcastStore {
  const suggest = createSuggestions(database);

  const byName = database.prepare<EpisodeRow & { number: number }>(
    `SELECT ${EPISODE}, number FROM unnest(@names::text[]) WITH ORDINALITY AS asked(name, number)
     JOIN episodes ON episodes.id = coalesce(
       (SELECT episode_id FROM episode_urls WHERE podcast_id = ${ID} AND url_key = key_of(name)),
       (SELECT id FROM episodes WHERE podcast_id = ${ID} AND guid_key = key_of(name))
     )
     JOIN podcasts ON podcasts.id = podcast_id`,
  );
  const episodes = database.prepare<EpisodeRow>(
    `SELECT ${EPISODE} FROM episodes JOIN podcasts ON podcasts.id = podcast_id
     WHERE podcast_id = ${ID} ORDER BY ${NEWEST_FIRST} LIMIT @limit`,
  );
  const episodesSince = database.prepare<EpisodeRow>(
    `SELECT found.* FROM unnest(@ids::bigint[]) WITH ORDINALITY AS asked(id, number)
     CROSS JOIN LATERAL (
       SELECT ${EPISODE} FROM episodes JOIN podcasts ON podcasts.id = podcast_id
       WHERE podcast_id = asked.id AND stamp BETWEEN @since AND @last ORDER BY ${NEWEST_FIRST} LIMIT @limit
     ) AS found ORDER BY number, coalesce(released_at, 0) DESC, stamp DESC`,
  );
  const announce = database.prepare(
    `UPDATE podcasts SET title = CASE title WHEN '' THEN @title ELSE title END,
       website = CASE website WHEN '' THEN @website ELSE website END,
       description = CASE description WHEN '' THEN @description ELSE description END
     WHERE id = @id AND fetched_at IS NULL`,
  );
  const claim = database.prepare<FeedRow>(
    `WITH due AS (
       SELECT id FROM podcasts WHERE subscribers > 0 AND next_at <= (SELECT @now) AND claimed_until <= (SELECT @now)
       ORDER BY next_at, url LIMIT @limit FOR NO KEY UPDATE SKIP LOCKED
     ), claimed AS (
       UPDATE podcasts SET claimed_until = @now + @lease WHERE id IN (SELECT id FROM due) RETURNING ${FEED}
     )
     SELECT * FROM claimed ORDER BY next_at, url`,
  );
  const feed = database.prepare<FeedRow>(`SELECT ${FEED} FROM podcasts WHERE id = ${ID}`);
  const formerUrls = database.prepare<{ url: Url }>(
    `SELECT podcast_urls.url AS url FROM podcast_urls JOIN podcasts ON podcasts.id = podcast_id
     WHERE podcast_id = ${ID} AND podcast_urls.url <> podcasts.url ORDER BY podcast_urls.url`,
  );
  const feeds = database.prepare<FeedRow>(
    `SELECT ${FEED} FROM podcasts WHERE (left(url, 500), url) > (left(@after, 500), @after)
     ORDER BY left(url, 500), url LIMIT ${PAGE}`,
  );
  const topTags = database.prepare<Tag>(
    'SELECT slug AS tag, title, usage FROM tags WHERE usage > 0 ORDER BY usage DESC, slug LIMIT @limit',
  );
  const byTag = database.prepare<PodcastRow>(
    `SELECT ${PODCAST} FROM podcast_tags JOIN podcasts ON podcasts.id = podcast_id
     WHERE slug = @slug ORDER BY subscribers DESC, url LIMIT @limit`,
  );
  const logo = database.prepare<{ url: string }>(
    'SELECT logo_url AS url FROM podcasts WHERE logo_hash = @hash LIMIT 1',
  );

  return {
    ...createToplist(database, stamps, directory),

    find: (urls) =>
      database.read(async (connection) => {
        const found = await directory.find(connection, urls);
        return urls.map((url) => {
          const row = found.get(url);
          return row && toPodcast(row);
        });
      }),

    findEpisodes: (podcast, names) =>
      database.read(async (connection) => {
        const rows = await byName.all(connection, { podcast, names });
        const found = new Map(rows.map((row) => [row.number, toEpisode(row)]));
        return names.map((_, index) => found.get(index + 1));
      }),

    episodes: (podcast, limit) =>
      database.read(async (connection) => (await episodes.all(connection, { podcast, limit })).map(toEpisode)),

    async episodesSince(urls, since, limit) {
      const { at, last } = await database.write((connection) => stamps.holdDirectory(connection));
      return database.read(async (connection) => {
        const ids = [...new Set((await directory.idsOf(connection, urls)).values())];
        const rows = await episodesSince.all(connection, { ids, since, last, limit });
        return { items: rows.map(toEpisode), mark: Math.max(at, markAfter(last)) };
      });
    },

    announce: (entries) =>
      database.write(async (connection) => {
        const ids = await directory.hold(
          connection,
          entries.map(({ url }) => url),
        );
        const changed = new Set<number>();
        for (const { url, title = '', description = '', website = '' } of entries) {
          const id = ids.get(url);
          if (id === undefined) continue;
          if ((await announce.run(connection, { id, title, description, website })) > 0) changed.add(id);
        }
        await search.update(connection, [...changed]);
      }),

    claimDue: (limit, lease) =>
      database.write(async (connection) => (await claim.all(connection, { lease, limit })).map(toFeedState)),

    feed: (url) =>
      database.read(async (connection) => {
        const row = await feed.get(connection, { podcast: url });
        return row && toFeedState(row);
      }),

    formerUrls: (url) =>
      database.read(async (connection) =>
        (await formerUrls.all(connection, { podcast: url })).map((former) => former.url),
      ),

    async *feeds() {
      let rows: FeedRow[] = [];
      do {
        const after = rows.at(-1)?.url ?? '';
        rows = await database.read((connection) => feeds.all(connection, { after }));
        yield* rows.map(toFeedState);
      } while (rows.length === PAGE);
    },

    record,

    search: (text, limit) =>
      database.read(async (connection) => (await search.search(connection, text, limit)).map(toPodcast)),

    topTags: (limit) => database.read((connection) => topTags.all(connection, { limit })),

    byTag: (tag, limit) =>
      database.read(async (connection) =>
        (await byTag.all(connection, { slug: createSlug(tag), limit })).map(toPodcast),
      ),

    alongside: (user, limit) =>
      database.read(async (connection) => (await suggest(connection, user, limit)).map(toPodcast)),

    logoUrl: (hash) => database.read(async (connection) => (await logo.get(connection, { hash }))?.url),
  };
}
