import type { FeedReading, PodcastStore, Url } from '../../../src/old-plugin.ts';
import { noSuchFeed } from '../errors.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import type { Acted } from './acted.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Directory } from './directory.ts';
import type { EpisodeShelf } from './episode-shelf.ts';
import type { PodcastTable } from './podcast-table.ts';

/** Stores what reading a feed came to. */
export function createReadingRecord(
  database: Database,
  directory: Directory,
  podcasts: PodcastTable,
  shelf: EpisodeShelf,
  acted: Acted,
): PodcastStore['record'] {
  /** The podcast asked for, and the one that it has moved to, both locked. */
  const hold = async (
    connection: Connection,
    url: Url,
    movedTo: Url | undefined,
  ): Promise<{ asked: PodcastId; id: PodcastId }> => {
    for (;;) {
      const ids = await directory.hold(connection, movedTo === undefined ? [url] : [url, movedTo]);
      const asked = ids.get(url);
      if (asked === undefined) throw noSuchFeed();
      if (movedTo === undefined) return { asked, id: asked };
      const known = ids.get(movedTo);
      if (known !== undefined) return { asked, id: known };
      // From now on nobody else can meet it. Where somebody just did, it is asked for again.
      if (await podcasts.addUrl(connection, asked, movedTo)) return { asked, id: asked };
    }
  };

  /** False, and nothing is stored, where `acted` must be settled before. */
  const store = async (
    connection: Connection,
    url: Url,
    { state, content, movedTo }: FeedReading,
    isSettled: boolean,
  ): Promise<boolean> => {
    const { asked, id } = await hold(connection, url, movedTo);
    const told = content?.episodes ?? [];
    if (!isSettled && (await shelf.mayOutgrow(connection, [asked, id], told.length))) return false;
    if (id !== asked) await podcasts.unite(connection, id, asked);
    const isMoved = movedTo !== undefined && (await podcasts.show(connection, id, movedTo));
    await podcasts.setFeed(connection, id, state);
    const isNews = content !== undefined && (await podcasts.describe(connection, id, content.podcast));
    await shelf.add(connection, id, told);
    if (id !== asked || isMoved || isNews) await podcasts.index(connection, id);
    return true;
  };

  return async (url, reading) => {
    if (await database.write((connection) => store(connection, url, reading, false))) return;
    await acted.settle();
    await database.write((connection) => store(connection, url, reading, true));
  };
}
