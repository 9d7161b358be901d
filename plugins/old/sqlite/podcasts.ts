import { createSlug, markAfter, type PodcastStore, type Stamp, type Tag, type Url } from '../../../src/old-plugin.ts';
import { EPISODE, type EpisodeRow, toEpisode } from '../sql/episode-row.ts';
import { FEED, type FeedRow, toFeedState } from '../sql/feed-state.ts';
import { PODCAST, type PodcastRow, toPodcast } from '../sql/podcast-row.ts';
import { createSuggestions } from './alongside.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import { NEWEST_FIRST } from './episode-shelf.ts';
import type { SearchIndex } from './search-index.ts';
import { createToplist } from './toplist.ts';

const PAGE = 500;

export function createPodcastStore(
  database: Database,
  directory: Directory,
  search: SearchIndex,
  record: PodcastStore['record'],
): PodcastStore {
  const { now } = database.context;
  const suggest = createSuggestions(database);

  const episode = database.prepare<EpisodeRow>(
    `SELECT ${EPISODE} FROM episode_urls JOIN episodes ON episodes.id = episode_id JOIN podcasts ON podcasts.id = @id
     WHERE episode_urls.podcast_id = @id AND episode_urls.url = @name`,
  );
  const episodeByGuid = database.prepare<EpisodeRow>(
    `SELECT ${EPISODE} FROM episodes JOIN podcasts ON podcasts.id = podcast_id WHERE podcast_id = @id AND guid = @name`,
  );
  const episodes = database.prepare<EpisodeRow>(
    `SELECT ${EPISODE} FROM episodes JOIN podcasts ON podcasts.id = podcast_id
     WHERE podcast_id = @id ORDER BY ${NEWEST_FIRST} LIMIT @limit`,
  );
  const episodesSince = database.prepare<EpisodeRow>(
    `SELECT ${EPISODE} FROM episodes INDEXED BY episodes_by_stamp JOIN podcasts ON podcasts.id = podcast_id
     WHERE podcast_id = @id AND stamp >= @since ORDER BY ${NEWEST_FIRST} LIMIT @limit`,
  );
  const stamp = database.prepare<{ stamp: Stamp }>('SELECT stamp FROM directory');
  const announce = database.prepare(
    `UPDATE podcasts SET title = iif(title = '', @title, title), website = iif(website = '', @website, website),
       description = iif(description = '', @description, description)
     WHERE id = @id AND fetched_at IS NULL`,
  );
  const claim = database.prepare<{ id: number }>(
    `UPDATE podcasts SET claimed_until = @until WHERE id IN (
       SELECT id FROM podcasts WHERE subscribers > 0 AND next_at <= @now AND claimed_until <= @now
       ORDER BY next_at, url LIMIT @limit
     ) RETURNING id`,
  );
  const feedsById = database.prepare<FeedRow>(
    `SELECT ${FEED} FROM podcasts WHERE id IN (SELECT value FROM json_each(@ids)) ORDER BY next_at, url`,
  );
  const feed = database.prepare<FeedRow>(`SELECT ${FEED} FROM podcasts WHERE id = @id`);
  const formerUrls = database.prepare<{ url: Url }>(
    `SELECT podcast_urls.url AS url FROM podcast_urls JOIN podcasts ON podcasts.id = podcast_id
     WHERE podcast_id = @id AND podcast_urls.url <> podcasts.url ORDER BY podcast_urls.url`,
  );
  const feeds = database.prepare<FeedRow>(`SELECT ${FEED} FROM podcasts WHERE url > @after ORDER BY url LIMIT ${PAGE}`);
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
    ...createToplist(database, directory),

    find: (urls) =>
      database.read(() =>
        urls.map((url) => {
          const row = directory.find(url);
          return row && toPodcast(row);
        }),
      ),

    findEpisodes: (podcast, names) =>
      database.read(() => {
        const id = directory.idOf(podcast) ?? null;
        return names.map((name) => {
          const row = episode.get({ id, name }) ?? episodeByGuid.get({ id, name });
          return row && toEpisode(row);
        });
      }),

    episodes: (podcast, limit) =>
      database.read(() => episodes.all({ id: directory.idOf(podcast) ?? null, limit }).map(toEpisode)),

    episodesSince: (urls, since, limit) =>
      database.read(() => {
        const ids = new Set(urls.flatMap((url) => directory.idOf(url) ?? []));
        const rows = [...ids].flatMap((id) => episodesSince.all({ id, since, limit }));
        return { items: rows.map(toEpisode), mark: Math.max(now(), markAfter(stamp.get({})!.stamp)) };
      }),

    announce: (entries) =>
      database.write(() => {
        const changed = entries.flatMap(({ url, title = '', description = '', website = '' }) => {
          const id = directory.idOf(url);
          return id !== undefined && announce.run({ id, title, description, website }).changes > 0 ? [id] : [];
        });
        search.update(changed);
      }),

    claimDue: (limit, lease) =>
      database.write(() => {
        const claimed = claim.all({ now: now(), until: now() + lease, limit });
        return feedsById.all({ ids: JSON.stringify(claimed.map(({ id }) => id)) }).map(toFeedState);
      }),

    feed: (url) =>
      database.read(() => {
        const row = feed.get({ id: directory.idOf(url) ?? null });
        return row && toFeedState(row);
      }),

    formerUrls: (url) =>
      database.read(() => formerUrls.all({ id: directory.idOf(url) ?? null }).map((former) => former.url)),

    async *feeds() {
      let rows: FeedRow[] = [];
      do {
        const after = rows.at(-1)?.url ?? '';
        rows = await database.read(() => feeds.all({ after }));
        yield* rows.map(toFeedState);
      } while (rows.length === PAGE);
    },

    record,

    search: (text, limit) => database.read(() => search.search(text, limit).map(toPodcast)),

    topTags: (limit) => database.read(() => topTags.all({ limit })),

    byTag: (tag, limit) => database.read(() => byTag.all({ slug: createSlug(tag), limit }).map(toPodcast)),

    alongside: (user, limit) => database.read(() => suggest(user, limit).map(toPodcast)),

    logoUrl: (hash) => database.read(() => logo.get({ hash })?.url),
  };
}
