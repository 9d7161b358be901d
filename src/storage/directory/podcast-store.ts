import { inBatches } from '../../batches.ts';
import { compareText } from '../../domain/text-order.ts';
import type { PodcastEntry, Url } from '../../domain/types.ts';
import type { Core } from '../core.ts';
import { urlDigest } from '../keys.ts';
import type { Episode, FeedState, PodcastStore } from '../stores.ts';
import { addPendingFeeds } from '../sync/new-feeds.ts';
import { recheckPrivacy, recountSubscribers } from '../sync/recount.ts';
import type { PodcastChange } from './directory.ts';
import { byName, type ChunkedEpisode, sortEpisodes, toStored } from './episodes.ts';
import { claimDue, isDue, recordResult } from './fetching.ts';
import { actionIndexKey, subscriptionKey } from './keys.ts';
import { byPopularity, isSecret, type StoredPodcast, subscribersOf, toPodcast, topN, urlsOf } from './podcast.ts';
import { recommend } from './recommendations.ts';
import { addSnapshot, SNAPSHOT_LENGTH } from './toplist-snapshots.ts';
import { removeUnused } from './unused.ts';

/** Podcasts of an OPML file whose titles are stored concurrently. */
const CONCURRENT = 200;

export function createPodcastStore(core: Core): PodcastStore {
  const { store, directory, refresh, context } = core;
  const { memory } = directory;

  /** Fills empty fields of a podcast whose feed was not fetched yet. */
  const addMetadata = ({ url, title = '', description = '', website = '' }: PodcastEntry): Promise<void> =>
    directory.change(async (): Promise<PodcastChange | undefined> => {
      const before = memory.find(url);
      if (!before || before.feed.fetchedAt !== undefined) return undefined;
      const podcast = {
        ...before,
        title: before.title || title,
        description: before.description || description,
        website: before.website || website,
      };
      const isNew = (['title', 'description', 'website'] as const).some((each) => podcast[each] !== before[each]);
      return isNew ? { podcast, replaces: [before] } : undefined;
    });

  const newestOf = async (url: Url, limit: number): Promise<Episode[]> => {
    const { podcast, episodes } = await directory.withEpisodes(url);
    return episodes.slice(0, limit).map((episode) => toEpisode(podcast!, episode));
  };

  const allUrls = async (url: Url): Promise<ReadonlySet<Url>> => {
    const podcast = memory.find(url);
    return new Set(podcast ? urlsOf(podcast) : [url]);
  };

  /** The podcasts with these URLs, each once. */
  const distinct = (urls: readonly Url[]): Set<StoredPodcast> => new Set(urls.flatMap((url) => memory.find(url) ?? []));

  return {
    find: async (urls) => urls.map((url) => memory.find(url)).map((podcast) => podcast && toPodcast(podcast)),

    findListed: async (urls) =>
      urls
        .map((url) => memory.find(url))
        .map((podcast) => (podcast?.address.isListed ? toPodcast(podcast) : undefined)),

    withoutSecrets: async (urls) => urls.filter((url) => !isSecret(url, memory.address(urlDigest(url)))),

    async areUsedBy(user, urls) {
      const keys = urls.map((url) => {
        const addresses = memory.find(url)?.address.addresses ?? [{ digest: urlDigest(url) }];
        return addresses.flatMap(({ digest }) => [subscriptionKey(digest, user), actionIndexKey(digest, user)]);
      });
      const found = new Set((await store.get([...new Set(keys.flat())])).map((entry) => entry?.key));
      return keys.map((some) => some.some((key) => found.has(key)));
    },

    async findEpisodes(url, named) {
      const { podcast, episodes } = await directory.withEpisodes(url);
      const known = byName(episodes);
      return named.map(({ episode, guid = episode }) => {
        const found = known.get(guid) ?? known.get(episode);
        return podcast && found && toEpisode(podcast, found);
      });
    },

    episodes: newestOf,

    newestOfEach: async (urls) => urls.map((url) => memory.find(url)?.newestEpisode),

    durations: (url) => directory.episodes.durations(memory.find(url)),

    async episodesSince(urls, since, limit) {
      await refresh.runIfOverdue(); // the mark must not pass what another node has stored during a pause of this one
      const mark = memory.stamps.mark(context.now()); // episodes stored while this reads are for the next call
      const items: Episode[] = [];
      for (const { url, newestStamp = -1 } of distinct(urls)) {
        if (newestStamp < since) continue;
        const { podcast, episodes } = await directory.withEpisodes(url);
        const fresh = episodes.filter(({ stamp }) => stamp >= since && stamp <= mark);
        items.push(...fresh.slice(0, limit).map((episode) => toEpisode(podcast!, episode)));
      }
      return { items, mark };
    },

    async newestEpisodes(urls, limit) {
      const known = [...distinct(urls)].filter(({ newestStamp }) => newestStamp !== undefined);
      const newest = topN(known, limit, (a, b) => b.newestStamp! - a.newestStamp! || compareText(a.url, b.url));
      const items: Episode[] = [];
      for (const { url } of newest) items.push(...(await newestOf(url, limit)));
      return sortEpisodes(items).slice(0, limit);
    },

    async addMetadata(entries) {
      for (const some of inBatches(entries, CONCURRENT)) await Promise.all(some.map(addMetadata));
    },

    claimDue: async (...limits) => (await claimDue(directory, ...limits)).map(toFeedState),

    async feed(url) {
      const podcast = memory.find(url);
      return podcast && toFeedState(podcast);
    },

    allUrls,

    async mostSubscribedUrl(url) {
      const counts = Array.from(await allUrls(url), (each) => ({
        url: each,
        count: memory.address(urlDigest(each))?.subscribers.size ?? 0,
      }));
      const [most, next] = counts.toSorted((a, b) => b.count - a.count);
      return most && most.count > (next?.count ?? 0) ? most.url : undefined;
    },

    async feeds() {
      await refresh.run(); // an integrity check must not take what another node has just changed for damage
      const podcasts = memory.all().toSorted((a, b) => compareText(a.url, b.url));
      return podcasts.map(toFeedState);
    },

    async countFeeds() {
      const now = context.now();
      const subscribed = memory.all().filter((podcast) => subscribersOf(podcast) > 0);
      return {
        subscribed: subscribed.length,
        due: subscribed.filter((podcast) => isDue(podcast, now)).length,
        failing: subscribed.filter(({ feed }) => feed.error !== undefined).length,
      };
    },

    withGuid: async (guid) =>
      memory
        .all()
        .filter(({ feed }) => feed.guid === guid)
        .map(toFeedState),

    async record(url, result) {
      await recordResult(directory, url, result);
      if (result.movedTo !== undefined) await recheckPrivacy(core, url);
    },

    search: async (text, limit) => (await memory.search.search(text, limit)).map(toPodcast),

    topTags: async (limit) => memory.tags.top(limit),

    async byTag(tag, limit) {
      const tagged = Array.from(memory.tags.podcasts(tag)).flatMap(({ isListed, podcast }) =>
        isListed ? podcast! : [],
      );
      return topN(tagged, limit, byPopularity).map(toPodcast);
    },

    top: async (limit) => memory.toplist.top(limit, context.now()),

    async recommendations(user, limit) {
      await refresh.run(); // never suggest what the user subscribed to on another node
      return recommend(memory, user, limit).map(toPodcast);
    },

    async rebuildToplist() {
      const corrected = await recountSubscribers(core);
      const now = context.now();
      await addSnapshot(directory, { at: now, urls: memory.toplist.top(SNAPSHOT_LENGTH, now).map(({ url }) => url) });
      return { podcasts: memory.all().filter((podcast) => subscribersOf(podcast) > 0).length, corrected };
    },

    removeUnused: () => removeUnused(core),

    addPendingFeeds: () => addPendingFeeds(core),

    async logo(hash) {
      const found = memory.withLogo(hash);
      const url = found[0]?.logoUrl ?? undefined;
      if (url === undefined) return undefined;
      return {
        url,
        podcasts: found.map((podcast) => podcast.url),
        isListed: found.some((podcast) => podcast.address.isListed),
      };
    },
  };
}

const toFeedState = ({ url, feed }: StoredPodcast): FeedState => ({ url, ...feed });

const toEpisode = ({ url }: StoredPodcast, stored: ChunkedEpisode): Episode => ({ podcast: url, ...toStored(stored) });
