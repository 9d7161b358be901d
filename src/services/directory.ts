import { invalid, Refusal } from '../domain/errors.ts';
import type { Url, UserId } from '../domain/types.ts';
import { hasCredentials, sanitizeFeedUrl, sanitizeMediaUrl, type UrlRules } from '../domain/url.ts';
import type { Episode, Podcast, PodcastStore, RankedPodcast, Tag, ToplistRebuild } from '../storage/stores.ts';
import { inPages } from './paging.ts';

const MOST_FOUND = 20;

/** A podcast, and what is known of it: maybe nothing. */
export type KnownPodcast = { url: Url } & Partial<Podcast>;

/**
 * What is known of podcasts, for everybody. URLs are taken as clients write them. Nobody is told of a feed whose URL has a
 * password in it: toplist, tags, search and suggestions leave it out.
 */
export interface Directory {
  /** Throws `missing` (spec 4.2). */
  podcast(url: string): Promise<Podcast>;
  /** An episode of it that the feed told of. Throws `missing`. */
  episode(podcast: string, url: string): Promise<{ podcast: Podcast; episode: Episode }>;
  /** An episode and its podcast, each where it is known. Takes sanitized URLs. */
  describeEpisode(podcast: Url, url: Url): Promise<{ podcast?: Podcast; episode?: Episode }>;
  /** Newest first. */
  episodes(podcast: Url, limit: number): Promise<Episode[]>;
  /** What is known of each, under the very URL that was given; maybe nothing else. */
  describe(urls: readonly Url[]): Promise<KnownPodcast[]>;
  /** The same in pages, read as they are taken: memory does not follow the length of a list. */
  describePages(urls: readonly Url[]): AsyncIterable<readonly KnownPodcast[]>;
  /** Most used first (spec 4.2). */
  tags(count: number): Promise<Tag[]>;
  /** Most subscribers first; `tag` as slug or title. */
  tagged(tag: string, count: number): Promise<readonly Podcast[]>;
  /** Most subscribers first; where the storage answers the same array again, so does this. */
  toplist(count: number): Promise<readonly RankedPodcast[]>;
  /** Counts subscribers again and keeps the ranking for `positionLastWeek`. */
  rebuildToplist(): Promise<ToplistRebuild>;
  /** At most 20, best first (spec 4.9). Throws `invalid` for a blank text. */
  search(text: string): Promise<readonly Podcast[]>;
  /** What a user might like and has on no device (spec 4.7). */
  suggestions(user: UserId, count: number): Promise<readonly Podcast[]>;
}

export const createDirectory = (podcasts: PodcastStore, rules: UrlRules): Directory => {
  const find = async (url: string): Promise<Podcast> => {
    const [podcast] = await podcasts.find([sanitizeFeedUrl(url, rules)]);
    if (!podcast) throw new Refusal('missing', 'no podcast with this URL is known here');
    return podcast;
  };

  const describe = async (urls: readonly Url[]): Promise<KnownPodcast[]> => {
    const known = await podcasts.find(urls);
    return urls.map((url, index) => ({ ...known[index], url }));
  };

  return {
    podcast: find,

    async episode(url, media) {
      const podcast = await find(url);
      const [episode] = await podcasts.findEpisodes(podcast.url, [sanitizeMediaUrl(media)]);
      if (!episode) throw new Refusal('missing', 'this podcast has no episode with this URL, as far as is known here');
      return { podcast, episode };
    },

    async describeEpisode(podcast, url) {
      const [known] = await podcasts.find([podcast]);
      const [episode] = known ? await podcasts.findEpisodes(known.url, [url]) : [];
      return { ...(known && { podcast: known }), ...(episode && { episode }) };
    },

    episodes: (podcast, limit) => podcasts.episodes(podcast, limit),

    describe,

    async *describePages(urls) {
      for await (const page of inPages(urls)) yield await describe(page);
    },

    tags: (count) => podcasts.topTags(count),
    tagged: (tag, count) => showable((limit) => podcasts.byTag(tag, limit), count),
    toplist: (count) => showable((limit) => podcasts.top(limit), count),
    rebuildToplist: () => podcasts.rebuildToplist(),

    async search(text) {
      if (text.trim() === '') throw invalid('say in "q" what to search for');
      return showable((limit) => podcasts.search(text, limit), MOST_FOUND);
    },

    suggestions: (user, count) => showable((limit) => podcasts.alongside(user, limit), count),
  };
};

/** The first `count` that may be shown to everybody, asked for again with more where some may not: they take no place. */
async function showable<Listed extends Podcast>(
  ask: (limit: number) => Promise<readonly Listed[]>,
  count: number,
): Promise<readonly Listed[]> {
  for (let limit = count; ; limit *= 2) {
    const found = await ask(limit);
    const shown = found.filter(({ url }) => !hasCredentials(url));
    if (shown.length === found.length) return found;
    if (shown.length >= count || found.length < limit) return shown.slice(0, count);
  }
}
