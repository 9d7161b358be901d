import { setImmediate } from 'node:timers/promises';
import { inBatches } from '../../batches.ts';
import type { ActionType, EpisodeAction, EpisodeInfo, Stamp, Url, UserId } from '../../domain/types.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import type { ActionQuery, Episode, Storage } from '../../storage/stores.ts';
import { type ResolvedPodcasts, resolvePodcasts } from '../directory/resolve-podcasts.ts';
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
  episodes: EpisodeUpdate[];
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
  /** The user's newest action on each episode. */
  const readActions = async (user: UserId, filter: ActionQuery): Promise<EpisodeAction[]> => {
    const { pages } = await actions.query(user, { ...filter, latest: true });
    const latest: EpisodeAction[] = [];
    for await (const page of pages) for (const action of page) latest.push(action); // a page may have any length
    return latest;
  };

  /** All addresses of these feeds. */
  const addressesOf = async (feeds: readonly Feed[]): Promise<Set<Url>> => {
    const addresses = new Set<Url>();
    for (const { currentUrl } of feeds) for (const url of await podcasts.allUrls(currentUrl)) addresses.add(url);
    return addresses;
  };

  /** The directory's data of the episodes of these actions; only the URL if an episode is unknown. */
  const identify = async (podcast: Url, actions: readonly EpisodeAction[]): Promise<EpisodeUpdate['episode'][]> => {
    const names = actions.flatMap(({ episode, guid = episode }) => [episode, guid]);
    const known = await podcasts.findEpisodes(podcast, names);
    return actions.map(({ episode }, at) => known[2 * at] ?? known[2 * at + 1] ?? { url: episode });
  };

  /** The actions on these feeds, each with its feed and the data of its episode. Keeps the order within a feed. */
  async function* locate(feeds: readonly Feed[], actions: readonly EpisodeAction[], resolved: ResolvedPodcasts) {
    const byCurrentUrl = new Map(feeds.map((feed) => [feed.currentUrl, { feed, found: [] as EpisodeAction[] }]));
    await eachInSlices(actions, (action) => byCurrentUrl.get(resolved.currentUrl(action.podcast))?.found.push(action));
    let sinceTurn = 0;
    for (const { feed, found } of byCurrentUrl.values()) {
      for (const batch of inBatches(found, BATCH)) {
        const episodes = await identify(feed.currentUrl, batch);
        for (const [index, action] of batch.entries()) yield { feed, action, episode: episodes[index]! };
        sinceTurn += batch.length;
        if (sinceTurn < BATCH) continue;
        sinceTurn = 0;
        await setImmediate();
      }
    }
  }

  /** Adds all new episodes to their feeds. */
  const collect = async (
    feeds: readonly Feed[],
    fresh: readonly Episode[],
    added: ReadonlySet<Url>,
    changed: readonly EpisodeAction[],
    resolved: ResolvedPodcasts,
  ): Promise<void> => {
    const byCurrentUrl = new Map(feeds.map((feed) => [feed.currentUrl, feed]));
    for (const episode of fresh) {
      const feed = byCurrentUrl.get(resolved.currentUrl(episode.podcast));
      feed?.episodes.set(episode.url, episode);
    }
    for (const feed of feeds) {
      if (!added.has(feed.url)) continue;
      for (const episode of await podcasts.episodes(feed.currentUrl, OF_ADDED)) feed.episodes.set(episode.url, episode);
    }
    for await (const { feed, action, episode } of locate(feeds, changed, resolved)) {
      feed.episodes.set(episode.url, episode);
      addName(feed, episode.url, action.episode);
    }
  };

  return {
    async since(user, device, since) {
      // The mark is a time, because it covers changes of the account and of the directory: later ones are above it.
      const stableUntil = await users.stableUntil(user);
      // Before the list: a feed added in between is in the list, and is reported next time.
      const { add, remove } = await subscriptions.changes(user, device, since);
      const changed = await readActions(user, { since });
      const list = await subscriptions.list(user, device);
      const fresh = await podcasts.episodesSince(list, since, PER_FEED);
      // All at once, after the queries: a feed that moves meanwhile is then the same feed under each of its URLs.
      const resolved = await resolvePodcasts(podcasts, await podcastsOf([...fresh.items, ...changed], list));
      const feeds = toFeeds(list, resolved);
      const added = new Set(add);
      await collect(feeds, fresh.items, added, changed, resolved);

      // The newest action on an episode may be older than `since`. Without new episodes none is needed.
      const updated = feeds.filter(({ episodes }) => episodes.size > 0);
      const isEnough = since === 0 || updated.length === 0;
      const all = isEnough ? changed : await readActions(user, { podcasts: await addressesOf(updated) });
      const known = isEnough ? resolved : await resolvePodcasts(podcasts, await podcastsOf(all));
      if (!isEnough) {
        const addedFeeds = updated.filter(({ url }) => added.has(url));
        for await (const { feed, action, episode } of locate(addedFeeds, all, known)) {
          addName(feed, episode.url, action.episode);
        }
      }
      const statuses = await newestByName(all, known);
      return {
        add,
        remove,
        episodes: (await mapInSlices(updated, (feed) => toUpdates(feed, statuses))).flat(),
        mark: Math.min(stableUntil, fresh.mark),
      };
    },
  };
}

/** A feed of the device, and its new episodes. */
interface Feed {
  url: Url;
  /** In the directory. */
  currentUrl: Url;
  title: string;
  /** By media URL. */
  episodes: Map<Url, EpisodeUpdate['episode']>;
  /** Other names that actions have for an episode, by media URL. */
  names: Map<Url, string[]>;
}

function addName({ names }: Feed, url: Url, name: string): void {
  const known = names.get(url);
  if (known) known.push(name);
  else names.set(url, [name]);
}

/** One feed for each podcast: the first if the list has two of its URLs. */
function toFeeds(list: readonly Url[], resolved: ResolvedPodcasts): Feed[] {
  const feeds = new Map<Url, Feed>();
  for (const url of list) {
    const currentUrl = resolved.currentUrl(url);
    if (feeds.has(currentUrl)) continue;
    const title = resolved.get(url)?.title ?? '';
    feeds.set(currentUrl, { url, currentUrl, title, episodes: new Map(), names: new Map() });
  }
  return [...feeds.values()];
}

/** The podcasts of actions or episodes, each once, and those already known. */
async function podcastsOf(items: Iterable<{ podcast: Url }>, known: readonly Url[] = []): Promise<Set<Url>> {
  const podcasts = new Set(known);
  await eachInSlices(items, ({ podcast }) => podcasts.add(podcast));
  return podcasts;
}

const nameKey = (podcast: Url, name: string): string => `${podcast} ${name}`;

/** An action, and its place in the order of upload. */
interface Placed {
  action: EpisodeAction;
  place: number;
}

/** By the time of the action itself, then by upload. */
const newestFirst = (a: Placed, b: Placed): number => b.action.timestamp - a.action.timestamp || b.place - a.place;

/** The newest action under each name of an episode. */
async function newestByName(
  actions: readonly EpisodeAction[],
  resolved: ResolvedPodcasts,
): Promise<Map<string, Placed>> {
  const newest = new Map<string, Placed>();
  await eachInSlices(actions, (action, place) => {
    const currentUrl = resolved.currentUrl(action.podcast);
    const placed = { action, place };
    for (const name of [action.episode, action.guid]) {
      if (name === undefined) continue;
      const key = nameKey(currentUrl, name);
      const known = newest.get(key);
      if (!known || newestFirst(placed, known) < 0) newest.set(key, placed);
    }
  });
  return newest;
}

function toUpdates(feed: Feed, statuses: ReadonlyMap<string, Placed>): EpisodeUpdate[] {
  const episodes = [...feed.episodes.values()].toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0));
  return episodes.slice(0, PER_FEED).map((episode) => {
    const names = [episode.url, episode.guid, ...(feed.names.get(episode.url) ?? [])];
    const [newest] = names
      .flatMap((name) => (name === undefined ? [] : (statuses.get(nameKey(feed.currentUrl, name)) ?? [])))
      .toSorted(newestFirst);
    const action = newest?.action;
    const status = action?.action ?? 'new';
    return {
      podcast: feed.url,
      podcastTitle: feed.title,
      episode,
      status,
      action: status === 'new' ? undefined : action,
    };
  });
}
