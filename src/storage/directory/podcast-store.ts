import { compareText } from '../../domain/text-order.ts';
import type { PodcastEntry, Seconds, Url, UserId } from '../../domain/types.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import type { Episode, FeedState, PodcastStore } from '../stores.ts';
import type { PodcastChange } from './change.ts';
import type { Directory } from './directory.ts';
import { byName, type ChunkedEpisode, sortEpisodes } from './episodes.ts';
import { recordResult } from './feed-result.ts';
import { actionIndexKey, subscriptionKey } from './keys.ts';
import { claim, isLeased } from './leases.ts';
import { byPopularity, isSecret, type StoredPodcast, subscribersOf, toPodcast } from './podcast.ts';
import { recommend } from './recommendations.ts';
import type { Refresh } from './refresh.ts';
import { topN } from './top-n.ts';
import { SNAPSHOT_LENGTH } from './toplist-snapshots.ts';
import { removeUnused } from './unused.ts';

/** What the directory needs from the account stores. */
export interface DirectoryAccounts {
  /** All feeds that the lists and settings of accounts refer to. */
  namedFeeds(): AsyncIterable<readonly Url[]>;
  /**
   * Corrects the subscriptions in the directory that differ from those of the accounts. Returns the number of podcasts
   * that were counted wrong. `currentUrl`: undefined for a URL that is not in the directory.
   */
  recountSubscribers(currentUrl: (digest: UrlDigest) => Url | undefined): Promise<number>;
  /** See `addPendingFeeds`. */
  addPendingFeeds(user: UserId, isPending: (digest: UrlDigest) => boolean): Promise<void>;
}

/** Podcasts of an OPML file whose titles are stored concurrently. */
const CONCURRENT = 200;

export function createPodcastStore(directory: Directory, refresh: Refresh, accounts: DirectoryAccounts): PodcastStore {
  const { memory, context, snapshots, store } = directory;

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

  const byUrl = (): StoredPodcast[] => memory.all().toSorted((a, b) => compareText(a.url, b.url));

  return {
    find: async (urls) =>
      urls.map((url) => {
        const podcast = memory.find(url);
        return podcast && toPodcast(podcast);
      }),

    findListed: async (urls) =>
      urls.map((url) => {
        const podcast = memory.find(url);
        return podcast?.address.isListed ? toPodcast(podcast) : undefined;
      }),

    withoutSecrets: async (urls) => urls.filter((url) => !isSecret(url, memory.address(urlDigest(url)))),

    async areUsedBy(user, urls) {
      const keys = urls.map((url) => {
        const addresses = memory.find(url)?.address.addresses ?? [{ digest: urlDigest(url) }];
        return addresses.flatMap(({ digest }) => [subscriptionKey(digest, user), actionIndexKey(digest, user)]);
      });
      const found = new Set((await store.get([...new Set(keys.flat())])).map((entry) => entry?.key));
      return keys.map((of) => of.some((key) => found.has(key)));
    },

    async findEpisodes(url, names) {
      const { podcast, episodes } = await directory.withEpisodes(url);
      const known = byName(episodes);
      return names.map((name) => {
        const found = known.get(name);
        return podcast && found && toEpisode(podcast, found);
      });
    },

    async episodes(url, limit) {
      const { podcast, episodes } = await directory.withEpisodes(url);
      return episodes.slice(0, limit).map((episode) => toEpisode(podcast!, episode));
    },

    durations: (url) => directory.episodes.durations(memory.find(url)),

    async episodesSince(urls, since, limit) {
      const mark = memory.stamps.mark(context.now()); // episodes stored while this reads are for the next call
      const homes = new Set(urls.flatMap((url) => memory.find(url)?.address ?? []));
      const items: Episode[] = [];
      for (const { podcast: asked } of homes) {
        if ((asked?.newestEpisode ?? -1) < since) continue;
        const { podcast, episodes } = await directory.withEpisodes(asked!.url);
        const fresh = episodes.filter(({ stamp }) => stamp >= since && stamp < mark);
        items.push(...fresh.slice(0, limit).map((episode) => toEpisode(podcast!, episode)));
      }
      return { items, mark };
    },

    async newestEpisodes(urls, limit) {
      const homes = new Set(urls.flatMap((url) => memory.find(url)?.address ?? []));
      const known = Array.from(homes, ({ podcast }) => podcast!).filter(
        ({ newestEpisode }) => newestEpisode !== undefined,
      );
      const newest = topN(known, limit, (a, b) => b.newestEpisode! - a.newestEpisode! || compareText(a.url, b.url));
      const items: (ChunkedEpisode & { podcast: StoredPodcast })[] = [];
      for (const { url } of newest) {
        const { podcast, episodes } = await directory.withEpisodes(url);
        for (const episode of episodes.slice(0, limit)) items.push({ ...episode, podcast: podcast! });
      }
      return sortEpisodes(items)
        .slice(0, limit)
        .map(({ podcast, ...episode }) => toEpisode(podcast, episode));
    },

    async addMetadata(entries) {
      for (let at = 0; at < entries.length; at += CONCURRENT) {
        await Promise.all(entries.slice(at, at + CONCURRENT).map(addMetadata));
      }
    },

    async claimDue(limit, lease) {
      const claimed: StoredPodcast[] = [];
      for (;;) {
        const now = context.now();
        const due = memory
          .all()
          .filter((podcast) => isDue(podcast, now) && !isLeased(podcast, now) && subscribersOf(podcast) > 0);
        const first = topN(due, limit - claimed.length, longestDueFirst);
        const isClaimed = await Promise.all(first.map((podcast) => claim(store, podcast, now + lease)));
        claimed.push(...first.filter((_, at) => isClaimed[at]));
        const lost = first.filter((_, at) => !isClaimed[at]);
        if (lost.length === 0) return claimed.toSorted(longestDueFirst).map(toFeedState);
        await directory.reload(lost.map(({ address }) => address.digest));
      }
    },

    async feed(url) {
      const podcast = memory.find(url);
      return podcast && toFeedState(podcast);
    },

    formerUrls: async (url) => (memory.find(url)?.formerUrls ?? []).toSorted(compareText),

    async *feeds() {
      yield* byUrl().map(toFeedState);
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

    record: (url, result) => recordResult(directory, url, result),

    search: async (text, limit) => (await memory.search.search(text, limit)).map(toPodcast),

    topTags: async (limit) => memory.tags.top(limit),

    async byTag(tag, limit) {
      const tagged = Array.from(memory.tags.podcasts(tag)).flatMap(({ isListed, podcast }) =>
        isListed ? podcast! : [],
      );
      return topN(tagged, limit, byPopularity).map(toPodcast);
    },

    top: async (limit) => memory.toplist.top(limit, snapshots.weekOld(context.now())),

    async recommendations(user, limit) {
      await refresh.run(); // never suggest what the user subscribed to on another node
      return recommend(memory, user, limit).map(toPodcast);
    },

    async rebuildToplist() {
      const corrected = await accounts.recountSubscribers((digest) => memory.at(digest)?.url);
      const today = memory.toplist.top(SNAPSHOT_LENGTH, undefined).map(({ url }) => url);
      await snapshots.add({ at: context.now(), urls: today });
      return { podcasts: memory.all().filter((podcast) => subscribersOf(podcast) > 0).length, corrected };
    },

    removeUnused: () => removeUnused(directory, accounts.namedFeeds),

    async addPendingFeeds() {
      const numbers = memory.pending().flatMap(({ subscribers }) => [...subscribers.keys()]);
      const isPending = (digest: UrlDigest): boolean => memory.address(digest) !== undefined && !memory.at(digest);
      for (const number of new Set(numbers)) await accounts.addPendingFeeds(memory.accounts[number]!.id, isPending);
    },

    logoUrl: async (hash) => memory.withLogo(hash)[0]?.logoUrl ?? undefined,

    isLogoListed: async (hash) => memory.withLogo(hash).some(({ address }) => address.isListed),
  };
}

const isDue = ({ feed: { nextAt } }: StoredPodcast, now: Seconds): boolean => nextAt !== undefined && nextAt <= now;

const longestDueFirst = (a: StoredPodcast, b: StoredPodcast): number =>
  a.feed.nextAt! - b.feed.nextAt! || compareText(a.url, b.url);

const toFeedState = ({ url, feed }: StoredPodcast): FeedState => ({ url, ...feed });

function toEpisode(podcast: StoredPodcast, placed: ChunkedEpisode): Episode {
  const { formerUrls: _, chunk: __, ...episode } = placed;
  return { podcast: podcast.url, ...episode };
}
