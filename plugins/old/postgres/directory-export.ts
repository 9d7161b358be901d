import type { DirectoryRecord, Url } from '../../../src/old-plugin.ts';
import { EPISODE, type EpisodeRow, toEpisode } from '../sql/episode-row.ts';
import { FEED, type FeedRow, toFeedState } from '../sql/feed-state.ts';
import { KEPT_TOPLISTS, type KeptRow, toToplistRecords } from '../sql/kept-toplists.ts';
import { PODCAST, type PodcastId, type PodcastRow, toPodcast } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { NEWEST_FIRST } from './episode-shelf.ts';

/** Reads the whole directory, one podcast a page. */
export function createDirectoryExport(database: Database): () => AsyncIterable<DirectoryRecord[]> {
  const tags = database.prepare<{ tag: string; title: string }>(
    'SELECT slug AS tag, title FROM tags WHERE usage > 0 ORDER BY slug',
  );
  const next = database.prepare<PodcastRow & FeedRow & { urls: number }>(
    `SELECT ${PODCAST}, ${FEED}, (SELECT count(*) FROM podcast_urls WHERE podcast_id = id) AS urls
     FROM podcasts WHERE (left(url, 500), url) > (left(@after, 500), @after)
     ORDER BY left(url, 500), url LIMIT 1`,
  );
  const counts = database.prepare<{ id: PodcastId; urls: number }>(
    'SELECT podcast_id AS id, count(*) AS urls FROM podcast_urls GROUP BY podcast_id',
  );
  const one = database.prepare<PodcastRow & FeedRow>(`SELECT ${PODCAST}, ${FEED} FROM podcasts WHERE id = @id`);
  const urls = database.prepare<{ url: Url }>(
    'SELECT url FROM podcast_urls WHERE podcast_id = @id AND url <> @url ORDER BY url',
  );
  const episodes = database.prepare<EpisodeRow & { id: number }>(
    `SELECT ${EPISODE}, episodes.id AS id FROM episodes JOIN podcasts ON podcasts.id = podcast_id
     WHERE podcast_id = @id ORDER BY ${NEWEST_FIRST}`,
  );
  const formerEpisodeUrls = database.prepare<{ id: number; url: Url }>(
    `SELECT episode_id AS id, episode_urls.url AS url FROM episode_urls JOIN episodes ON episodes.id = episode_id
     WHERE episode_urls.podcast_id = @id AND episode_urls.url <> episodes.url ORDER BY episode_urls.url`,
  );
  const kept = database.prepare<KeptRow>(KEPT_TOPLISTS);

  const aboutPodcast = async (connection: Connection, row: PodcastRow & FeedRow): Promise<DirectoryRecord[]> => {
    const { url, subscribers: _, ...info } = toPodcast(row);
    const { url: __, ...feed } = toFeedState(row);
    const formerUrls = (await urls.all(connection, { id: row.id, url })).map((each) => each.url);
    return [{ kind: 'podcast', url, info, feed, formerUrls }, ...(await episodesOf(connection, row))];
  };

  const episodesOf = async (connection: Connection, { id }: PodcastRow): Promise<DirectoryRecord[]> => {
    const formerUrls = new Map<number, Url[]>();
    for (const row of await formerEpisodeUrls.all(connection, { id })) {
      formerUrls.set(row.id, [...(formerUrls.get(row.id) ?? []), row.url]);
    }
    return (await episodes.all(connection, { id })).map((row) => {
      const { podcast: _, ...episode } = toEpisode(row);
      return { kind: 'episode', episode: { ...episode, formerUrls: formerUrls.get(row.id) ?? [] } };
    });
  };

  return async function* () {
    const known = await database.read((connection) => tags.all(connection, {}));
    if (known.length > 0) yield known.map((tag) => ({ kind: 'tag', ...tag }));
    /** How many URLs each had then. */
    const told = new Map<PodcastId, number>();
    let row: (PodcastRow & FeedRow & { urls: number }) | undefined;
    for (;;) {
      const after: Url = row?.url ?? '';
      const page: DirectoryRecord[] = await database.snapshot(async (connection) => {
        row = await next.get(connection, { after });
        return row ? aboutPodcast(connection, row) : [];
      });
      if (!row) break;
      if (told.has(row.id)) continue;
      told.set(row.id, row.urls);
      yield page;
    }
    // What has moved meanwhile to a URL that was passed already, and what has another's episodes since it was told.
    for (const { id, urls: now } of await database.read((connection) => counts.all(connection, {}))) {
      if (told.get(id) === now) continue;
      const page = await database.snapshot(async (connection) => {
        const moved = await one.get(connection, { id });
        return moved ? aboutPodcast(connection, moved) : [];
      });
      if (page.length > 0) yield page;
    }
    const toplists = toToplistRecords(await database.read((connection) => kept.all(connection, {})));
    if (toplists.length > 0) yield toplists;
  };
}
