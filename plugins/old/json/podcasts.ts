import {
  compareText,
  type Episode,
  type FeedState,
  type PodcastStore,
  type Seconds,
  type Url,
} from '../../../src/old-plugin.ts';
import { alongside } from './alongside.ts';
import type { Database } from './database.ts';
import { firstOf } from './first.ts';
import { recordReading } from './reading.ts';
import type { StoredPodcast } from './shard.ts';
import { byName, type ShelvedEpisode } from './shelf.ts';

export function createPodcastStore(database: Database): PodcastStore {
  const { directory, shelves, context } = database;
  /** Until when a feed that is due is another caller's. */
  const claims = new Map<Url, Seconds>();

  const shelfOf = async (podcast: StoredPodcast | undefined): Promise<readonly ShelvedEpisode[]> => {
    if (!podcast) return [];
    try {
      return await shelves.read(podcast);
    } catch (error) {
      // Of a feed that was read meanwhile the file is gone: it has what stands there now.
      const now = directory.find(podcast.url);
      if (now === podcast) throw error;
      return shelfOf(now);
    }
  };

  return {
    find: async (urls) =>
      urls.map((url) => {
        const podcast = directory.find(url);
        return podcast && directory.toPodcast(podcast);
      }),

    async findEpisodes(url, names) {
      const podcast = directory.find(url);
      const known = byName(await shelfOf(podcast));
      return names.map((name) => {
        const found = known.get(name);
        return podcast && found && toEpisode(podcast, found);
      });
    },

    async episodes(url, limit) {
      const podcast = directory.find(url);
      return (await shelfOf(podcast)).slice(0, limit).map((episode) => toEpisode(podcast!, episode));
    },

    async episodesSince(urls, since, limit) {
      const mark = database.mark(directory); // what comes while the files are read is for the next time
      const podcasts = new Set(urls.map((url) => directory.find(url)));
      const items: Episode[] = [];
      for (const podcast of podcasts) {
        if ((podcast?.newestEpisode ?? -1) < since) continue;
        const fresh = (await shelfOf(podcast)).filter(({ stamp }) => stamp >= since && stamp < mark);
        items.push(...fresh.slice(0, limit).map((episode) => toEpisode(podcast!, episode)));
      }
      return { items, mark };
    },

    announce: (entries) =>
      database.inLine('directory', async () => {
        const changed = new Map<Url, StoredPodcast>();
        for (const { url, title = '', description = '', website = '' } of entries) {
          const podcast = directory.find(url);
          if (!podcast || podcast.feed.fetchedAt !== undefined) continue;
          const before = changed.get(podcast.url) ?? podcast;
          const filled = { title: before.title || title, description: before.description || description };
          changed.set(podcast.url, { ...before, ...filled, website: before.website || website });
        }
        if (changed.size === 0) return;
        await database.write({ directory: [...changed.values()].map((podcast) => ({ kind: 'podcast', podcast })) });
      }),

    async claimDue(limit, lease) {
      const now = context.now();
      const due = [...directory.all()].filter(
        ({ url, feed }) =>
          feed.nextAt !== undefined &&
          feed.nextAt <= now &&
          (claims.get(url) ?? now) <= now &&
          directory.audience.count(url) > 0,
      );
      const claimed = firstOf(due, limit, (a, b) => a.feed.nextAt! - b.feed.nextAt! || compareText(a.url, b.url));
      for (const { url } of claimed) claims.set(url, now + lease);
      return claimed.map(toFeedState);
    },

    async feed(url) {
      const podcast = directory.find(url);
      return podcast && toFeedState(podcast);
    },

    formerUrls: async (url) => (directory.find(url)?.formerUrls ?? []).toSorted(compareText),

    async *feeds() {
      yield* [...directory.all()].toSorted((a, b) => compareText(a.url, b.url)).map(toFeedState);
    },

    async record(url, reading) {
      await recordReading(database, url, reading);
      claims.delete(url);
    },

    search: async (text, limit) =>
      (await directory.search.search(text, limit)).map((podcast) => directory.toPodcast(podcast)),

    topTags: async (limit) => directory.tags.top(limit),

    async byTag(tag, limit) {
      const tagged = [...directory.tags.podcasts(tag)].flatMap((url) => directory.find(url) ?? []);
      const first = firstOf(tagged, limit, (a, b) => directory.byPopularity(a, b));
      return first.map((podcast) => directory.toPodcast(podcast));
    },

    top: async (limit) => directory.toplist.top(limit, context.now()),

    alongside: async (user, limit) => alongside(directory, user, limit).map((podcast) => directory.toPodcast(podcast)),

    async rebuildToplist() {
      const corrected = await database.recount();
      await database.inLine('directory', async () => {
        const kept = directory.toplist.keptWith(context.now());
        if (kept !== directory.toplist.kept) await database.write({ directory: [{ kind: 'toplists', kept }] });
      });
      const podcasts = [...directory.all()].filter(({ url }) => directory.audience.count(url) > 0);
      return { podcasts: podcasts.length, corrected: corrected.size };
    },

    logoUrl: async (hash) => directory.logo(hash),
  };
}

const toFeedState = ({ url, feed }: StoredPodcast): FeedState => ({ url, ...feed });

function toEpisode(podcast: StoredPodcast, shelved: ShelvedEpisode): Episode {
  const { formerUrls: _, ...episode } = shelved;
  return { podcast: podcast.url, ...episode };
}
