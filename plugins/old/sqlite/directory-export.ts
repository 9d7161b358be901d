import type { DirectoryRecord, Url } from '../../../src/old-plugin.ts';
import { EPISODE, type EpisodeRow, toEpisode } from '../sql/episode-row.ts';
import { FEED, type FeedRow, toFeedState } from '../sql/feed-state.ts';
import { KEPT_TOPLISTS, type KeptRow, toToplistRecords } from '../sql/kept-toplists.ts';
import { PODCAST, type PodcastId, type PodcastRow, toPodcast } from '../sql/podcast-row.ts';
import type { Database } from './database.ts';
import { NEWEST_FIRST } from './episode-shelf.ts';

/** Reads the whole directory, one podcast a page. */
export function createDirectoryExport(database: Database): () => AsyncIterable<DirectoryRecord[]> {
  const tags = database.prepare<{ tag: string; title: string }>(
    'SELECT slug AS tag, title FROM tags WHERE usage > 0 ORDER BY slug',
  );
  const next = database.prepare<PodcastRow & FeedRow & { urls: number }>(
    `SELECT ${PODCAST}, ${FEED}, (SELECT count(*) FROM podcast_urls WHERE podcast_id = id) AS urls
     FROM podcasts WHERE url > @after ORDER BY url LIMIT 1`,
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
  const episodeUrls = database.prepare<{ url: Url }>(
    'SELECT url FROM episode_urls WHERE episode_id = @id AND podcast_id = @podcast AND url <> @url ORDER BY url',
  );
  const kept = database.prepare<KeptRow>(KEPT_TOPLISTS);

  const aboutPodcast = (row: PodcastRow & FeedRow): DirectoryRecord[] => {
    const { url, subscribers: _, ...info } = toPodcast(row);
    const { url: __, ...feed } = toFeedState(row);
    const formerUrls = urls.all({ id: row.id, url }).map((each) => each.url);
    return [{ kind: 'podcast', url, info, feed, formerUrls }, ...episodesOf(row)];
  };

  const episodesOf = ({ id: podcast }: PodcastRow): DirectoryRecord[] =>
    episodes.all({ id: podcast }).map((row) => {
      const { podcast: _url, ...episode } = toEpisode(row);
      const formerUrls = episodeUrls.all({ id: row.id, podcast, url: row.url }).map(({ url }) => url);
      return { kind: 'episode', episode: { ...episode, formerUrls } };
    });

  return async function* () {
    const known = await database.read(() => tags.all({}));
    if (known.length > 0) yield known.map((tag) => ({ kind: 'tag', ...tag }));
    /** How many URLs each had then. */
    const told = new Map<PodcastId, number>();
    let row: (PodcastRow & FeedRow & { urls: number }) | undefined;
    for (;;) {
      const after: Url = row?.url ?? '';
      const page: DirectoryRecord[] = await database.read(() => {
        row = next.get({ after });
        return row ? aboutPodcast(row) : [];
      });
      if (!row) break;
      if (told.has(row.id)) continue;
      told.set(row.id, row.urls);
      yield page;
    }
    // What has moved meanwhile to a URL that was passed already, and what has another's episodes since it was told.
    for (const { id, urls: now } of await database.read(() => counts.all({}))) {
      if (told.get(id) === now) continue;
      const page = await database.read(() => one.all({ id }).flatMap(aboutPodcast));
      if (page.length > 0) yield page;
    }
    const toplists = toToplistRecords(await database.read(() => kept.all({})));
    if (toplists.length > 0) yield toplists;
  };
}
