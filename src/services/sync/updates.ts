import { setImmediate } from 'node:timers/promises';
import { inBatches } from '../../batches.ts';
import type { ActionType, EpisodeAction, EpisodeInfo, Stamp, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { ActionQuery, Storage } from '../../storage/stores.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The most episodes of one feed, newest first. */
const PER_FEED = 50;
/** How many of its newest episodes a newly added feed contributes. */
const OF_ADDED = 5;
/** Actions whose episodes are looked up in one turn of the event loop. */
const BATCH = 500;

export interface EpisodeUpdate {
  /** Feed URL as the device subscribes to it. */
  podcast: Url;
  podcastTitle: string;
  episode: Pick<EpisodeInfo, 'url'> & Partial<EpisodeInfo>;
  status: ActionType;
  /** The newest action by its own time; undefined if there is none or it is `new`. */
  action: EpisodeAction | undefined;
}

interface DeviceUpdates {
  add: readonly Url[];
  remove: readonly Url[];
  /** A page for each feed, read on demand: memory use does not grow with the number of feeds. */
  pages: AsyncIterable<EpisodeUpdate[]>;
  mark: Stamp;
}

export interface Updates {
  /**
   * What is new for a device since the mark of its last response (spec 4.5): changed subscriptions and, for its current
   * feeds, the episodes that were first seen, or have actions, since then. Throws `missing` for an unknown device.
   */
  since(user: UserId, device: string, since: Stamp): Promise<DeviceUpdates>;
}

export function createUpdates(
  { actions, podcasts, users }: Pick<Storage, 'actions' | 'podcasts' | 'users'>,
  subscriptions: Pick<Subscriptions, 'list' | 'changes'>,
): Updates {
  /** The user's newest action on each episode, in upload order. */
  const readActions = async (user: UserId, filter: ActionQuery): Promise<EpisodeAction[]> => {
    const { pages } = await actions.query(user, { ...filter, latest: true });
    const latest: EpisodeAction[] = [];
    for await (const page of pages) for (const action of page) latest.push(action); // a page may have any length
    return latest;
  };

  /** The feeds of a list by each URL of their podcasts. If the list has two URLs of a podcast, only the first is a feed. */
  const openFeeds = async (list: readonly Url[]): Promise<Map<Url, Feed>> => {
    const feeds = new Map<Url, Feed>();
    for (const url of list) {
      if (feeds.has(url)) continue;
      const feed: Feed = { url, episodes: new Set(), actions: new Map() };
      for (const each of await podcasts.allUrls(url)) feeds.set(each, feed);
    }
    return feeds;
  };

  /**
   * The actions on these feeds, each with its feed and the URL of its episode in the directory, otherwise in the action.
   * Keeps the order within a feed.
   */
  async function* locate(feeds: ReadonlyMap<Url, Feed>, from: readonly EpisodeAction[]) {
    const byFeed = new Map(Array.from(feeds.values(), (feed) => [feed, [] as EpisodeAction[]]));
    await eachInSlices(from, (action) => {
      const feed = feeds.get(action.podcast);
      if (feed) byFeed.get(feed)!.push(action);
    });
    for (const [feed, found] of byFeed) {
      for (const batch of inBatches(found, BATCH)) {
        const known = await podcasts.findEpisodes(feed.url, batch);
        for (const [index, action] of batch.entries()) {
          yield { feed, action, url: known[index]?.url ?? action.episode };
        }
        await setImmediate();
      }
    }
  }

  /** The updates of each of these feeds, read one after the other. */
  async function* describe(feeds: Iterable<Feed>): AsyncGenerator<EpisodeUpdate[]> {
    for (const feed of feeds) {
      const names = Array.from(feed.episodes, (episode) => ({ episode }));
      const known = await podcasts.findEpisodes(feed.url, names);
      const [podcast] = await podcasts.find([feed.url]);
      const episodes = names.map(({ episode }, at) => known[at] ?? { url: episode });
      yield toUpdates(feed, podcast?.title ?? '', episodes);
      await setImmediate();
    }
  }

  return {
    async since(user, device, since) {
      // The mark is a time, because it covers changes of the account and of the directory: later ones are above it.
      const stableUntil = await users.stableUntil(user);
      // Before the list: a feed added in between is in the list, and is reported next time.
      const { add, remove } = await subscriptions.changes(user, device, since);
      const changed = await readActions(user, { since });
      const list = await subscriptions.list(user, device);
      const { mark } = await podcasts.episodesSince([], since, PER_FEED); // before those of any feed are read
      const fresh = new Map<Url, Url[]>();
      for (const podcast of list) {
        const { items } = await podcasts.episodesSince([podcast], since, PER_FEED);
        fresh.set(
          podcast,
          items.map(({ url }) => url),
        );
      }
      // After the queries: a feed that moved meanwhile is then found under both URLs.
      const feeds = await openFeeds(list);

      for (const [podcast, urls] of fresh) for (const url of urls) feeds.get(podcast)!.episodes.add(url);
      for (const podcast of add) {
        const feed = feeds.get(podcast);
        if (feed?.url !== podcast) continue; // a second URL of a podcast brings nothing new
        for (const { url } of await podcasts.episodes(podcast, OF_ADDED)) feed.episodes.add(url);
      }
      for await (const { feed, action, url } of locate(feeds, changed)) {
        feed.episodes.add(url);
        addAction(feed, url, action);
      }

      const updated = new Map([...feeds].filter(([, { episodes }]) => episodes.size > 0));
      if (since > 0 && updated.size > 0) {
        // The newest action on an episode may be older than `since`, or have another of its names.
        const all = await readActions(user, { podcasts: new Set(updated.keys()) });
        for await (const { feed, action, url } of locate(updated, all)) addAction(feed, url, action);
      }
      return { add, remove, pages: describe(new Set(updated.values())), mark: Math.min(stableUntil, mark) };
    },
  };
}

/** A feed of the device, and what is new in it. */
interface Feed {
  url: Url;
  /** Media URLs of new episodes. */
  episodes: Set<Url>;
  /** The newest action on each episode, whichever name the action has for it, by media URL. */
  actions: Map<Url, EpisodeAction>;
}

/** Call it in upload order: of two actions at the same time, the one uploaded last is the newest. */
function addAction({ actions }: Feed, url: Url, action: EpisodeAction): void {
  const known = actions.get(url);
  if (!known || known.timestamp <= action.timestamp) actions.set(url, action);
}

function toUpdates(
  { url, actions }: Feed,
  podcastTitle: string,
  episodes: readonly EpisodeUpdate['episode'][],
): EpisodeUpdate[] {
  const newest = episodes.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0));
  return newest.slice(0, PER_FEED).map((episode) => {
    const action = actions.get(episode.url);
    const status = action?.action ?? 'new';
    return { podcast: url, podcastTitle, episode, status, action: status === 'new' ? undefined : action };
  });
}
