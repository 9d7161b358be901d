import { type FeedReading, StorageError, type Url } from '../../src/plugin.ts';
import type { Directory } from './directory.ts';
import type { EpisodeShelf } from './episode-shelf.ts';
import type { PodcastTable } from './podcast-table.ts';

/** Stores what reading a feed came to. To be called inside a write. */
export const createReadingRecord =
  (directory: Directory, podcasts: PodcastTable, shelf: EpisodeShelf) =>
  (url: Url, { state, content, movedTo }: FeedReading): void => {
    const asked = directory.idOf(url);
    if (asked === undefined) throw new StorageError('missing', 'the directory does not know this feed');
    const id = (movedTo === undefined ? undefined : directory.idOf(movedTo)) ?? asked;
    if (id !== asked) podcasts.unite(id, asked);
    const isMoved = movedTo !== undefined && podcasts.show(id, movedTo);
    podcasts.setFeed(id, state);
    const isNews = content !== undefined && podcasts.describe(id, content.podcast);
    if (id !== asked || isMoved || isNews) podcasts.index(id);
    shelf.add(id, content?.episodes ?? []);
  };
