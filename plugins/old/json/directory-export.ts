import { compareText, type DirectoryRecord } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import type { StoredPodcast } from './shard.ts';
import type { ShelvedEpisode } from './shelf.ts';

/** All of the directory, one podcast a page. What has moved meanwhile is told where the URL that it had would be. */
export async function* exportDirectory(database: Database): AsyncGenerator<DirectoryRecord[]> {
  const { directory, shelves } = database;
  const tags = directory.tags.top(Infinity).toSorted((a, b) => compareText(a.tag, b.tag));
  if (tags.length > 0) yield tags.map(({ tag, title }) => ({ kind: 'tag', tag, title }));

  const urls = [...directory.all()].map(({ url }) => url);
  /** As they were then: one that another was united with since is told again. */
  const told = new Set<StoredPodcast>();
  for (const url of urls.toSorted(compareText)) {
    const page = await database.inLine('directory', async () => {
      const podcast = directory.find(url);
      if (!podcast || told.has(podcast)) return [];
      told.add(podcast);
      const episodes = await shelves.read(podcast);
      return [toPodcast(podcast), ...toEpisodes(episodes)];
    });
    if (page.length > 0) yield page;
  }

  const toplists = directory.toplist.kept.filter((kept) => kept.urls.length > 0);
  const shown = (url: string): string => directory.find(url)?.url ?? url;
  if (toplists.length > 0) yield toplists.map((kept) => ({ kind: 'toplist', at: kept.at, urls: kept.urls.map(shown) }));
}

function toPodcast(podcast: StoredPodcast): DirectoryRecord {
  const { url, feed, formerUrls, newestEpisode: _, shelf: __, ...info } = podcast;
  return { kind: 'podcast', url, info, feed, formerUrls: formerUrls.toSorted(compareText) };
}

/** A URL goes to the episode that has it now, else to the first of those that had it: they may come from several feeds. */
function toEpisodes(episodes: readonly ShelvedEpisode[]): DirectoryRecord[] {
  const taken = new Set(episodes.map(({ url }) => url));
  return episodes.map(({ formerUrls = [], ...episode }) => {
    const own = formerUrls.filter((url) => !taken.has(url));
    for (const url of own) taken.add(url);
    return { kind: 'episode', episode: { ...episode, formerUrls: own.toSorted(compareText) } };
  });
}
