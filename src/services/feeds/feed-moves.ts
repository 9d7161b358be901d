import type { Url } from '../../domain/types.ts';
import type { Fetcher, FetchOutcome } from '../../feeds/fetch.ts';
import { COMPARED, type Identity, isGuidOf, isSamePodcast } from '../../feeds/same-podcast.ts';
import type { FeedState, PodcastStore } from '../../storage/stores.ts';

/** What was read of a feed. `movedTo`: where it is from now on. */
export type Fetched = Extract<FetchOutcome, { kind: 'fetched' }> & {
  /** It redirects for good to this address, where another podcast is. */
  apart?: Url;
};

/**
 * Where feeds have moved to. Nobody may lead others to what is not theirs, nor take over another's address: a move counts
 * only where the feed at the new address is the same podcast.
 */
export interface FeedMoves {
  /** Whether the feed says that it is elsewhere now. */
  isMoving(state: FeedState, outcome: Fetched): boolean;
  /** What was read, from where the feed says that it is now; without a move that does not count. */
  follow(state: FeedState, outcome: Fetched): Promise<Fetched>;
  /**
   * Looks for a feed at the addresses that it had before: there its publisher may send it to another place by now. It is
   * gone for good once it is gone from all of them.
   */
  tryFormerUrls(state: FeedState, outcome: FetchOutcome): Promise<FetchOutcome>;
  /** Makes one podcast of all that have this GUID, where it was made for the address of one of them. */
  mergeByGuid(guid: string): Promise<void>;
}

export function createFeedMoves(podcasts: PodcastStore, fetcher: Fetcher): FeedMoves {
  /** As it was read last; undefined of a feed that never was. */
  const lastKnown = async ({ url, fetchedAt, guid }: FeedState): Promise<Identity | undefined> => {
    const [podcast] = await podcasts.find([url]);
    if (!podcast || fetchedAt === undefined) return undefined;
    return { title: podcast.title, guid: guid ?? null, episodes: await podcasts.episodes(url, COMPARED) };
  };

  const isStillTheSame = async (state: FeedState, there: Identity): Promise<boolean> => {
    const known = await lastKnown(state);
    return !known || isSamePodcast(known, there);
  };

  return {
    isMoving: ({ url }, { movedTo = url, feed }) => movedTo !== url || (feed.movedTo ?? url) !== url,

    async follow(state, outcome) {
      const { movedTo, ...here } = outcome;
      if (movedTo !== undefined && movedTo !== state.url) {
        // What was read of it since then is what is there: that proves nothing.
        const isConfirmed = movedTo !== state.apart && (await isStillTheSame(state, here.feed));
        return isConfirmed ? outcome : { ...here, apart: movedTo };
      }
      const announced = here.feed.movedTo;
      if (announced === null || announced === state.url) return here;
      if ((await podcasts.formerUrls(state.url)).includes(announced)) return here; // or it would go to and fro
      const there = await fetcher.fetchFeed(announced, {});
      if (there.kind !== 'fetched' || !isSamePodcast(here.feed, there.feed)) return here;
      const target = there.movedTo ?? announced;
      return target === state.url ? here : { ...there, movedTo: target };
    },

    async tryFormerUrls(state, outcome) {
      let answer = outcome;
      for (const url of await podcasts.formerUrls(state.url)) {
        const there = await fetcher.fetchFeed(url, {});
        if (there.kind === 'fetched' && (await isStillTheSame(state, there.feed))) {
          return { ...there, movedTo: there.movedTo ?? url };
        }
        if (there.kind === 'failed' && answer.kind === 'gone') answer = there;
      }
      return answer;
    },

    async mergeByGuid(guid) {
      const feeds = await podcasts.withGuid(guid);
      const made = feeds.filter(({ url }) => isGuidOf(guid, url));
      const shown = made.find(({ url }) => url.startsWith('https:')) ?? made[0];
      for (const { url } of shown ? feeds : []) {
        if (url !== shown!.url) await podcasts.record(url, { state: shown!, movedTo: shown!.url });
      }
    },
  };
}
