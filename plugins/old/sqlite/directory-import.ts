import type { DirectoryPart, PodcastPart, Seconds, Url } from '../../../src/old-plugin.ts';
import { TOPLIST_EVERY } from '../directory-rules.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { EpisodeShelf } from './episode-shelf.ts';
import type { PodcastTable } from './podcast-table.ts';

/** Stores what another storage had in its directory. To be called inside a write. */
export type StorePart = (part: DirectoryPart) => void;

export function createDirectoryImport(
  database: Database,
  directory: Directory,
  podcasts: PodcastTable,
  shelf: EpisodeShelf,
): StorePart {
  const meetTag = database.prepare('INSERT OR IGNORE INTO tags (slug, title) VALUES (@tag, @title)');
  const fetched = database.prepare<{ at: Seconds | null }>('SELECT fetched_at AS at FROM podcasts WHERE id = @id');
  const isKept = database.prepare(`SELECT 1 FROM toplists WHERE abs(at - @at) < ${TOPLIST_EVERY} LIMIT 1`);
  const rank = database.prepare('INSERT INTO toplists (at, place, podcast_id) VALUES (@at, @place, @id)');

  /** Stores a podcast, unless its feed was read here later. */
  const storePodcast = ({ url, formerUrls, feed, info, episodes }: PodcastPart): void => {
    const known = [...new Set([url, ...formerUrls].flatMap((each) => directory.idOf(each) ?? []))];
    if (known.some((id) => (fetched.get({ id })!.at ?? -1) >= (feed.fetchedAt ?? 0))) return;
    if (known.length === 0) directory.meet([url]);
    const [id = directory.idOf(url)!, ...others] = known;
    for (const other of others) podcasts.unite(id, other);
    for (const former of formerUrls) podcasts.addUrl(id, former);
    podcasts.show(id, url);
    podcasts.setFeed(id, feed);
    podcasts.describe(id, info);
    podcasts.index(id);
    shelf.import(id, episodes);
  };

  const storeToplist = (at: Seconds, urls: Url[]): void => {
    if (isKept.get({ at })) return;
    const ids = urls.flatMap((url) => directory.idOf(url) ?? []);
    for (const [index, id] of ids.entries()) rank.run({ at, place: index + 1, id });
  };

  return (part) => {
    if (part.kind === 'tag') meetTag.run({ ...part });
    else if (part.kind === 'podcast') storePodcast(part);
    else storeToplist(part.at, part.urls);
  };
}
