import type { FeedReading, PodcastStore, Url } from '../../../src/old-plugin.ts';
import { noSuchFeed } from '../errors.ts';
import type { Acted } from './acted.ts';
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
  /** False, and nothing is stored, where `acted` must be settled before. */
  const store = (url: Url, { state, content, movedTo }: FeedReading, isSettled: boolean): boolean => {
    const asked = directory.idOf(url);
    if (asked === undefined) throw noSuchFeed();
    const id = (movedTo === undefined ? undefined : directory.idOf(movedTo)) ?? asked;
    const told = content?.episodes ?? [];
    if (!isSettled && shelf.mayOutgrow([asked, id], told.length)) return false;
    if (id !== asked) podcasts.unite(id, asked);
    const isMoved = movedTo !== undefined && podcasts.show(id, movedTo);
    podcasts.setFeed(id, state);
    const isNews = content !== undefined && podcasts.describe(id, content.podcast);
    if (id !== asked || isMoved || isNews) podcasts.index(id);
    shelf.add(id, told);
    return true;
  };

  return async (url, reading) => {
    if (await database.write(() => store(url, reading, false))) return;
    await acted.settle();
    await database.write(() => store(url, reading, true));
  };
}
