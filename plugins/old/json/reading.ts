import { type FeedReading, nextStamp, type Url } from '../../../src/old-plugin.ts';
import { EPISODES_KEPT } from '../directory-rules.ts';
import { noSuchFeed } from '../errors.ts';
import type { Database } from './database.ts';
import type { StoredPodcast } from './shard.ts';
import { shelve, unite } from './shelf.ts';
import { otherShelf } from './shelves.ts';

/** Stores what reading a feed came to. One at a time: what is known must not change underneath. */
export const recordReading = (database: Database, url: Url, reading: FeedReading): Promise<void> =>
  database.inLine('directory', async () => {
    const { directory, shelves, context } = database;
    const asked = directory.find(url);
    if (!asked) throw noSuchFeed();
    const shownUnder = reading.movedTo ?? asked.url;
    const there = directory.find(shownUnder) ?? asked;
    const before = [...new Set([there, asked])];
    const podcast = settle(shownUnder, before, reading);

    const known = unite(await shelves.read(there), there === asked ? [] : await shelves.read(asked));
    const found = reading.content?.episodes ?? [];
    const isCut = known.length + found.length > EPISODES_KEPT;
    const isActed = isCut ? (await database.acted.gathered()).among([podcast.url, ...podcast.formerUrls]) : () => false;
    // From here to the end of the write no mark may reach the stamp.
    const stamp = nextStamp(context.now(), directory.stamp);
    directory.pending = stamp;
    try {
      const { episodes, isChanged, isNews } = shelve(known, found, stamp, isActed);
      if (isNews) podcast.newestEpisode = stamp;
      const isElsewhere = podcast.url !== there.url || there !== asked;
      const isWritten = podcast.newestEpisode !== undefined && (isChanged || isElsewhere);
      if (isWritten) {
        podcast.shelf = otherShelf(there);
        await shelves.write(podcast, episodes);
      }
      await database.write({ directory: [{ kind: 'podcast', podcast }] });
      if (isWritten) for (const each of before) await shelves.remove(each);
    } finally {
      directory.pending = undefined;
    }
  });

/** Makes one podcast of those that were known, the one shown under the URL first, and of what was read. */
function settle(url: Url, known: readonly StoredPodcast[], { state, content }: FeedReading): StoredPodcast {
  const { url: _, ...feed } = state;
  const stamps = known.flatMap(({ newestEpisode }) => newestEpisode ?? []);
  const former = new Set(known.flatMap((each) => [each.url, ...each.formerUrls]));
  former.delete(url);
  const told = known.find((each) => each.feed.fetchedAt !== undefined) ?? known[0]!;
  return {
    ...told,
    ...content?.podcast,
    url,
    formerUrls: [...former],
    feed,
    ...(stamps.length > 0 && { newestEpisode: Math.max(...stamps) }),
  };
}
