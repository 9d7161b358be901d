import { invalid, Refusal } from '../../domain/errors.ts';
import type { EpisodeInfo, Url, UserId } from '../../domain/types.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl, type UrlRules } from '../../domain/url.ts';
import type { Episode, Podcast, PodcastStore, RankedPodcast, Tag, ToplistRebuild } from '../../storage/stores.ts';
import type { OwnPodcasts } from './own-podcasts.ts';
import { inPages } from './paging.ts';

const MAX_RESULTS = 20;

/** Who may see the directory: everybody, whoever has an account, or nobody. */
export type DirectoryMode = 'public' | 'members' | 'off';

/** A podcast, and what is known of it: maybe nothing. */
export type KnownPodcast = { url: Url } & Partial<Podcast>;
/** An episode, and what is known of it: maybe nothing. */
export type KnownEpisode = { url: Url } & Partial<EpisodeInfo>;

/** Finds out who is asking, where the answer depends on that; undefined for somebody without a login. */
export type Viewer = () => Promise<UserId | undefined>;

/** What one person gets to see, or everybody. */
type Seen<Found> = Found & { isPublic: boolean };

/**
 * What is known of podcasts. Everybody is told of those that are listed (see `PodcastStore`), and of no other; an account
 * also of those that it subscribes to or acted on. URLs are taken as clients write them unless it says otherwise.
 */
export interface Directory {
  /** Throws `missing` (spec 4.2), the same whether nobody knows the podcast or the viewer may not see it. */
  podcast(url: string, viewer?: Viewer): Promise<Seen<{ podcast: Podcast }>>;
  /**
   * An episode that the feed told of; for the viewer also one that only their own actions or settings know, maybe of a
   * podcast that nobody knows. Throws `missing` as `podcast` does.
   */
  episode(
    podcast: string,
    url: string,
    viewer: Viewer,
  ): Promise<Seen<{ podcast: KnownPodcast; episode: KnownEpisode }>>;
  /** An episode and its podcast, as far as this account may know. Takes sanitized URLs. */
  describeEpisode(user: UserId, podcast: Url, url: Url): Promise<{ podcast: KnownPodcast; episode: KnownEpisode }>;
  /** Of a podcast that the viewer may see. Newest first. */
  episodes(podcast: Url, limit: number): Promise<Episode[]>;
  /** What everybody may know of each, or this account; under the very URL that was given, maybe nothing else. */
  describe(urls: readonly Url[], user?: UserId): Promise<KnownPodcast[]>;
  /** The same in pages, read as they are taken: memory does not follow the length of a list. */
  describePages(urls: readonly Url[], user?: UserId): AsyncIterable<readonly KnownPodcast[]>;
  /** Those of which everybody may see the URL itself. Takes sanitized URLs. */
  withoutSecrets(urls: readonly Url[]): Promise<Url[]>;
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

interface DirectoryOptions {
  own: OwnPodcasts;
  rules: UrlRules;
  mode: DirectoryMode;
}

/** What everybody sees where the directory is off. */
const NOTHING: readonly RankedPodcast[] = [];

export const createDirectory = (podcasts: PodcastStore, { own, rules, mode }: DirectoryOptions): Directory => {
  const isOff = mode === 'off';

  const findListed = async (urls: readonly Url[]): Promise<(Podcast | undefined)[]> =>
    isOff ? urls.map(() => undefined) : podcasts.findListed(urls);

  /** What an account may know of podcasts: those that are listed, and its own. */
  const findFor = async (user: UserId, urls: readonly Url[]): Promise<(Podcast | undefined)[]> => {
    const listed = await findListed(urls);
    const others = urls.filter((_, at) => !listed[at]);
    if (others.length === 0) return listed;
    const areOwn = await own.have(user, others);
    const found = await podcasts.find(others.filter((_, at) => areOwn[at]));
    const mine = new Map(others.filter((_, at) => areOwn[at]).map((url, at) => [url, found[at]]));
    return urls.map((url, at) => listed[at] ?? mine.get(url));
  };

  const describeEpisode = async (podcast: Podcast | undefined, feed: Url, name: Url) => {
    const [episode] = podcast ? await podcasts.findEpisodes(podcast.url, [name]) : [];
    return { podcast: podcast ?? { url: feed }, episode };
  };

  const describe = async (urls: readonly Url[], user?: UserId): Promise<KnownPodcast[]> => {
    const known = await (user === undefined ? findListed(urls) : findFor(user, urls));
    return urls.map((url, index) => ({ ...known[index], url }));
  };

  return {
    async podcast(url, viewer = nobody) {
      const feed = sanitizeFeedUrl(url, rules);
      const [listed] = await findListed([feed]);
      if (listed) return { podcast: listed, isPublic: true };
      const user = await viewer();
      const [podcast] = user === undefined ? [] : await findFor(user, [feed]);
      if (!podcast) throw noSuchPodcast();
      return { podcast, isPublic: false };
    },

    async episode(url, media, viewer) {
      const feed = sanitizeFeedUrl(url, rules);
      const name = sanitizeMediaUrl(media) || media; // of version 1 it may be a GUID
      const [listed] = await findListed([feed]);
      const known = await describeEpisode(listed, feed, name);
      if (known.episode) return { ...known, episode: known.episode, isPublic: true };
      const user = await viewer();
      const [podcast] = user === undefined || listed ? [listed] : await findFor(user, [feed]);
      if (user !== undefined) {
        const { episode, ...mine } = await describeEpisode(podcast, feed, name);
        const isKnown = episode !== undefined || (feed !== '' && (await own.hasEpisode(user, feed, name)));
        if (isKnown) return { ...mine, episode: episode ?? { url: name }, isPublic: false };
      }
      if (!podcast) throw noSuchPodcast();
      throw new Refusal('missing', 'this podcast has no episode with this URL, as far as is known here');
    },

    async describeEpisode(user, feed, url) {
      const [podcast] = await findFor(user, [feed]);
      const { episode, ...known } = await describeEpisode(podcast, feed, url);
      return { ...known, episode: episode ?? { url } };
    },

    episodes: (podcast, limit) => podcasts.episodes(podcast, limit),

    describe,

    async *describePages(urls, user) {
      for await (const page of inPages(urls)) yield await describe(page, user);
    },

    withoutSecrets: (urls) => podcasts.withoutSecrets(urls),

    tags: async (count) => (isOff ? [] : podcasts.topTags(count)),
    tagged: async (tag, count) => (isOff ? NOTHING : podcasts.byTag(tag, count)),
    toplist: async (count) => (isOff ? NOTHING : podcasts.top(count)),
    rebuildToplist: () => podcasts.rebuildToplist(),

    async search(text) {
      if (text.trim() === '') throw invalid('say in "q" what to search for');
      return isOff ? NOTHING : podcasts.search(text, MAX_RESULTS);
    },

    suggestions: async (user, count) => (isOff ? NOTHING : podcasts.alongside(user, count)),
  };
};

const nobody: Viewer = async () => undefined;

const noSuchPodcast = (): Refusal => new Refusal('missing', 'no podcast with this URL is known here');
