import { looksSecret } from '../../domain/secret-url.ts';
import type { Url } from '../../domain/types.ts';
import type { Fetcher, FetchOutcome } from '../../feeds/fetch.ts';
import { COMPARED, type PodcastIdentity, isGuidOf, isSamePodcast } from '../../feeds/same-podcast.ts';
import type { FeedState, PodcastStore } from '../../storage/stores.ts';

/** After this many failures in a row, which takes most of a day, a former address of a feed is tried. */
const LOST_AFTER = 5;
/**
 * Addresses of a podcast. A move after which it had more is not followed: some feeds redirect to a new address at each
 * fetch, and anyone can redirect many to one. They are still read.
 */
const MAX_ADDRESSES = 200;

/** A fetched feed. `movedTo`: its address from now on. */
export type Fetched = Extract<FetchOutcome, { kind: 'fetched' }> & {
  /** It redirects permanently to this address, which has another podcast. */
  apart?: Url;
};

/**
 * Follows feeds that have moved. A publisher must not redirect subscribers to another podcast, nor take over its address:
 * a move is accepted only if the feed at the new address is the same podcast.
 */
interface FeedMoves {
  /** Fetches a feed. Returns the result to store: of the address to which it has moved, or else of its own. */
  fetch(state: FeedState): Promise<FetchOutcome | Fetched>;
  /**
   * Merges all podcasts with this GUID, if it was derived from the address of one of them. Not private feeds: they often
   * have the GUID of the public one, but other episodes.
   */
  mergeByGuid(guid: string): Promise<void>;
}

export function createFeedMoves(podcasts: PodcastStore, fetcher: Fetcher): FeedMoves {
  /** The identity at the last fetch; undefined for a feed that was never fetched. */
  const lastKnown = async ({ url, fetchedAt, guid }: FeedState): Promise<PodcastIdentity | undefined> => {
    const [podcast] = await podcasts.find([url]);
    if (!podcast || fetchedAt === undefined) return undefined;
    return { title: podcast.title, guid: guid ?? null, episodes: await podcasts.episodes(url, COMPARED) };
  };

  const isStillTheSame = async (state: FeedState, there: PodcastIdentity): Promise<boolean> => {
    const known = await lastKnown(state);
    return !known || isSamePodcast(known, there);
  };

  const mayMoveTo = async (target: Url, url: Url): Promise<boolean> => {
    const [here, there] = [await podcasts.allUrls(url), await podcasts.allUrls(target)];
    return here.has(target) || here.size + there.size <= MAX_ADDRESSES;
  };

  const followAnnounced = async (state: FeedState, outcome: Fetched): Promise<Fetched> => {
    const { movedTo, ...here } = outcome;
    if (movedTo !== undefined && movedTo !== state.url) {
      // The content stored since then came from that address, and so proves nothing.
      const isConfirmed = movedTo !== state.apart && (await isStillTheSame(state, here.feed));
      return isConfirmed && (await mayMoveTo(movedTo, state.url)) ? outcome : { ...here, apart: movedTo };
    }
    const announced = here.feed.movedTo;
    if (announced === null || announced === state.url) return here;
    if ((await podcasts.allUrls(state.url)).has(announced)) return here; // otherwise it could move back and forth
    const there = await fetcher.fetchFeed(announced, {}, state.url);
    if (there.kind !== 'fetched' || !isSamePodcast(here.feed, there.feed)) return here;
    const target = there.movedTo ?? announced;
    return target !== state.url && (await mayMoveTo(target, state.url)) ? { ...there, movedTo: target } : here;
  };

  /**
   * Tries the former address that most of the subscribers have, where the publisher may redirect to a new one. The feed
   * is gone for good when it is gone from both. No other address is tried, as anyone can redirect to a feed.
   */
  const tryFormerUrl = async (state: FeedState, outcome: FetchOutcome): Promise<FetchOutcome> => {
    const url = await podcasts.mostSubscribedUrl(state.url);
    if (url === undefined || url === state.url) return outcome;
    const there = await fetcher.fetchFeed(url, {});
    if (there.kind === 'fetched' && (await isStillTheSame(state, there.feed))) {
      const target = there.movedTo ?? url;
      return { ...there, movedTo: (await mayMoveTo(target, state.url)) ? target : url };
    }
    return there.kind === 'failed' && outcome.kind === 'gone' ? there : outcome;
  };

  return {
    async fetch(state) {
      const outcome = await fetcher.fetchFeed(state.url, state);
      if (outcome.kind === 'fetched') return followAnnounced(state, outcome);
      const isLost = outcome.kind === 'gone' || (outcome.kind === 'failed' && state.failures >= LOST_AFTER);
      return isLost ? tryFormerUrl(state, outcome) : outcome;
    },

    async mergeByGuid(guid) {
      const feeds = (await podcasts.withGuid(guid)).filter(({ url }) => !looksSecret(url));
      // A deleted feed is never fetched again, and must not replace one that is.
      const sources = feeds.filter(({ url, nextAt }) => nextAt !== undefined && isGuidOf(guid, url));
      const source = sources.find(({ url }) => url.startsWith('https:')) ?? sources[0];
      if (!source) return;
      for (const { url } of feeds) {
        const isOther = url !== source.url && (await mayMoveTo(source.url, url));
        if (isOther) await podcasts.record(url, { state: source, movedTo: source.url });
      }
    },
  };
}
