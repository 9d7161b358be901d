import type { DirectoryPart, PodcastPart, Seconds, Url } from '../../../src/old-plugin.ts';
import { TOPLIST_EVERY } from '../directory-rules.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { EpisodeShelf } from './episode-shelf.ts';
import type { PodcastTable } from './podcast-table.ts';
import type { Stamps } from './stamps.ts';

/** Stores what another storage had in its directory. To be called inside a write. */
export type StorePart = (connection: Connection, part: DirectoryPart) => Promise<void>;

export function createDirectoryImport(
  database: Database,
  stamps: Stamps,
  directory: Directory,
  podcasts: PodcastTable,
  shelf: EpisodeShelf,
): StorePart {
  const meetTag = database.prepare('INSERT INTO tags (slug, title) VALUES (@tag, @title) ON CONFLICT DO NOTHING');
  const lastFetch = database.prepare<{ at: Seconds | null }>(
    'SELECT max(fetched_at) AS at FROM podcasts WHERE id = ANY(@ids::bigint[])',
  );
  const isKept = database.prepare(`SELECT 1 FROM toplists WHERE abs(at - @at) < ${TOPLIST_EVERY} LIMIT 1`);
  const rank = database.prepare(
    'INSERT INTO toplists (at, place, podcast_id) SELECT @at, number, id FROM unnest(@ids::bigint[]) WITH ORDINALITY AS ranked(id, number)',
  );

  /** Stores a podcast, unless its feed was read here later. */
  const storePodcast = async (
    connection: Connection,
    { url, formerUrls, feed, info, episodes }: PodcastPart,
  ): Promise<void> => {
    const wasReadLater = async (ids: readonly PodcastId[]): Promise<boolean> =>
      ((await lastFetch.get(connection, { ids }))!.at ?? -1) >= (feed.fetchedAt ?? 0);
    const known = await directory.idsOf(connection, [url, ...formerUrls]);
    if (await wasReadLater([...known.values()])) return;
    await directory.meet(connection, [url]);
    const held = await directory.hold(connection, [url, ...formerUrls]);
    const ids = [...new Set(held.values())];
    if (await wasReadLater(ids)) return; // meanwhile
    const id = held.get(url)!;
    for (const other of ids) if (other !== id) await podcasts.unite(connection, id, other);
    for (const former of formerUrls) await podcasts.addUrl(connection, id, former);
    await podcasts.show(connection, id, url);
    await podcasts.setFeed(connection, id, feed);
    await podcasts.describe(connection, id, info);
    await podcasts.index(connection, id);
    await shelf.import(connection, id, episodes);
  };

  const storeToplist = async (connection: Connection, at: Seconds, urls: readonly Url[]): Promise<void> => {
    await stamps.holdDirectory(connection); // one at a time
    if (await isKept.get(connection, { at })) return;
    const ids = await directory.idsOf(connection, urls);
    await rank.run(connection, { at, ids: urls.flatMap((url) => ids.get(url) ?? []) });
  };

  return async (connection, part) => {
    if (part.kind === 'tag') await meetTag.run(connection, { ...part });
    else if (part.kind === 'podcast') await storePodcast(connection, part);
    else await storeToplist(connection, part.at, part.urls);
  };
}
