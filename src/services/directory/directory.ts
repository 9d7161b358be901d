import { groupBy } from '../../batches.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import { emptyPodcast, type EpisodeInfo, type Url, type UserId } from '../../domain/types.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl, type UrlRules } from '../../domain/url.ts';
import type { DirectoryMode } from '../../options.ts';
import type { Episode, Podcast, RankedPodcast, Storage, Tag, ToplistRebuild } from '../../storage/stores.ts';
import type { EpisodeReference } from './episode-names.ts';
import { findOwnEpisode } from './own-episodes.ts';
import { inPages } from './paging.ts';

const MAX_RESULTS = 20;

/** A podcast, with whatever is known about it. */
export type KnownPodcast = { url: Url } & Partial<Podcast>;
/** An episode, with whatever is known about it. */
export type KnownEpisode = { url: Url } & Partial<EpisodeInfo>;

/** Authenticates the request, if the result depends on that; undefined without a login. */
export type Viewer = () => Promise<UserId | undefined>;

/** An episode and its podcast, as far as they are known, under their URLs in the directory. */
export interface DescribedEpisode {
  /** As it was named: an episode that the directory does not know has a page under these URLs only. */
  named: EpisodeReference;
  podcast: KnownPodcast;
  episode: KnownEpisode;
}

/** A result for everybody, or only for the viewer. */
export type Seen<Found> = Found & { isPublic: boolean };

/**
 * What is known about podcasts. Everybody sees those that are listed (see `PodcastStore`); an account also sees those that
 * it subscribes to or has actions on. Takes URLs as clients write them, unless noted otherwise.
 */
export interface Directory {
  /** Throws `missing` (spec 4.2), the same whether the podcast is unknown or hidden from the viewer. */
  podcast(url: string, viewer?: Viewer): Promise<Seen<{ podcast: Podcast }>>;
  /**
   * An episode from the feed; for the viewer also one that only appears in their own actions or settings, even of an
   * unknown podcast. Throws `missing` as `podcast` does.
   */
  episode(
    podcast: string,
    url: string,
    viewer: Viewer,
  ): Promise<Seen<{ podcast: KnownPodcast; episode: KnownEpisode }>>;
  /** Episodes and their podcasts, as far as this account may see them, by podcast. Takes sanitized URLs. */
  describeEpisodes(user: UserId, named: readonly EpisodeReference[]): Promise<DescribedEpisode[]>;
  /** The episodes of a podcast that the viewer may see, newest first. */
  episodes(podcast: Url, limit: number): Promise<Episode[]>;
  /** What everybody, or this account, may see of each podcast: at least the URL, unchanged. */
  describe(urls: readonly Url[], user?: UserId): Promise<KnownPodcast[]>;
  /** The same in pages, read on demand: memory use does not grow with the list. */
  describePages(urls: readonly Url[], user?: UserId): AsyncIterable<readonly KnownPodcast[]>;
  /** Most used first (spec 4.2). */
  tags(count: number): Promise<Tag[]>;
  /** Most subscribers first; `tag` as slug or title. */
  tagged(tag: string, count: number): Promise<readonly Podcast[]>;
  /** Most subscribers first; returns the same array again if the storage does. */
  toplist(count: number): Promise<readonly RankedPodcast[]>;
  /** Counts subscribers again and keeps the ranking for `positionLastWeek`. */
  rebuildToplist(): Promise<ToplistRebuild>;
  /** At most 20, best first (spec 4.9). Throws `invalid` for a blank text. */
  search(text: string): Promise<readonly Podcast[]>;
  /** Podcasts that the user might like and has on no device (spec 4.7). */
  suggestions(user: UserId, count: number): Promise<readonly Podcast[]>;
}

interface DirectoryOptions {
  rules: UrlRules;
  mode: DirectoryMode;
}

/** The result if the directory is off. */
const NOTHING: readonly RankedPodcast[] = [];

export const createDirectory = (
  storage: Pick<Storage, 'podcasts' | 'actions' | 'settings'>,
  { rules, mode }: DirectoryOptions,
): Directory => {
  const { podcasts } = storage;
  const isOff = mode === 'off';

  const findListed = async (urls: readonly Url[]): Promise<(Podcast | undefined)[]> =>
    isOff ? urls.map(() => undefined) : podcasts.findListed(urls);

  /** The podcasts that an account may see: listed ones and its own. */
  const findFor = async (user: UserId, urls: readonly Url[]): Promise<(Podcast | undefined)[]> => {
    const listed = await findListed(urls);
    const others = urls.filter((_, at) => !listed[at]);
    if (others.length === 0) return listed;
    const areOwn = await podcasts.areUsedBy(user, others);
    const own = others.filter((_, at) => areOwn[at]);
    const found = await podcasts.find(own);
    const mine = new Map(own.map((url, at) => [url, found[at] ?? undescribed(url)]));
    return urls.map((url, at) => listed[at] ?? mine.get(url));
  };

  const findEpisode = async (podcast: Podcast | undefined, named: EpisodeReference): Promise<Episode | undefined> =>
    podcast && (await podcasts.findEpisodes(podcast.url, [named]))[0];

  const describe = async (urls: readonly Url[], user?: UserId): Promise<KnownPodcast[]> => {
    const known = await (user === undefined ? findListed(urls) : findFor(user, urls));
    return urls.map((url, index) => ({ ...known[index], url }));
  };

  return {
    async podcast(url, viewer = anonymous) {
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
      const named = { podcast: feed, episode: sanitizeMediaUrl(media) || media }; // of version 1 it may be a GUID
      const [listed] = await findListed([feed]);
      const found = await findEpisode(listed, named);
      if (listed && found) return { podcast: listed, episode: found, isPublic: true };
      const user = await viewer();
      const [podcast] = user === undefined || listed ? [listed] : await findFor(user, [feed]);
      if (user !== undefined) {
        const known = await findEpisode(podcast, named);
        const own = known || feed === '' ? undefined : await findOwnEpisode(storage, user, named);
        const episode = known ?? (own && ((await findEpisode(podcast, own)) ?? { url: named.episode }));
        if (episode) return { podcast: podcast ?? { url: feed }, episode, isPublic: false };
      }
      if (!podcast) throw noSuchPodcast();
      throw new Refusal('missing', 'no episode of this podcast with this URL is known here');
    },

    async describeEpisodes(user, named) {
      const described: DescribedEpisode[] = [];
      for await (const page of inPages([...groupBy(named, ({ podcast }) => podcast)])) {
        const known = await findFor(
          user,
          page.map(([feed]) => feed),
        );
        for (const [at, [feed, references]] of page.entries()) {
          const podcast = known[at] ?? { url: feed };
          const episodes = known[at] ? await podcasts.findEpisodes(podcast.url, references) : [];
          for (const [index, each] of references.entries()) {
            described.push({ named: each, podcast, episode: episodes[index] ?? { url: each.episode } });
          }
        }
      }
      return described;
    },

    episodes: (podcast, limit) => podcasts.episodes(podcast, limit),

    describe,

    async *describePages(urls, user) {
      for await (const page of inPages(urls)) yield await describe(page, user);
    },

    tags: async (count) => (isOff ? [] : podcasts.topTags(count)),
    tagged: async (tag, count) => (isOff ? NOTHING : podcasts.byTag(tag, count)),
    toplist: async (count) => (isOff ? NOTHING : podcasts.top(count)),
    rebuildToplist: () => podcasts.rebuildToplist(),

    async search(text) {
      if (text.trim() === '') throw invalid('"q" is empty: enter a text to search for');
      return isOff ? NOTHING : podcasts.search(text, MAX_RESULTS);
    },

    suggestions: async (user, count) => (isOff ? NOTHING : podcasts.recommendations(user, count)),
  };
};

/**
 * A podcast of the account that is not in the directory: nobody ever subscribed to it, or this account has added too many
 * on one day and its subscribers are not counted yet.
 */
const undescribed = (url: Url): Podcast => ({ url, ...emptyPodcast(), subscribers: 0 });

const anonymous: Viewer = async () => undefined;

const noSuchPodcast = (): Refusal => new Refusal('missing', 'no podcast with this URL is known here');
