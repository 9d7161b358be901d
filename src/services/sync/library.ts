import { groupBy } from '../../batches.ts';
import { WEB_DEVICE, withoutBrowser } from '../../domain/device.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import { toWebScheme } from '../../domain/feed-scheme.ts';
import { foldText } from '../../domain/terms.ts';
import type { PodcastEntry, Seconds, Stamp, Url, UserId } from '../../domain/types.ts';
import { sanitizeFeedUrl, type UrlRules } from '../../domain/url.ts';
import type { DeviceSummary, NewestEpisode, Storage } from '../../storage/stores.ts';
import type { KnownPodcast } from '../directory/directory.ts';
import { resolvePodcasts } from '../directory/resolve-podcasts.ts';
import type { ActionCache } from '../listening/action-cache.ts';
import { registerWebDevice } from './devices.ts';
import { explainRefusal } from './feed-urls.ts';
import { type OpmlImportReport, sanitizeEntries } from './opml-import.ts';
import type { Subscriptions } from './subscriptions.ts';

/** A feed, and the devices that subscribe to it, in the order created. */
export interface OnDevices {
  url: Url;
  devices: readonly string[];
}

/** A podcast of an account: what is known about it, under the account's own URL. */
export type LibraryPodcast = KnownPodcast &
  OnDevices & {
    newest?: NewestEpisode;
    /** Listening time, if requested. */
    listened?: Seconds;
  };

interface LibraryContents {
  /** In the order first added. */
  podcasts: LibraryPodcast[];
  /** In the order created. */
  devices: DeviceSummary[];
}

/** What an import would add; the titles are those of the file. */
export interface LibraryImportReport extends Pick<OpmlImportReport, 'rewritten' | 'refused'> {
  added: PodcastEntry[];
  /** Already on all of the devices, see `withoutBrowser`. */
  present: PodcastEntry[];
}

/**
 * The subscriptions of an account as the site shows them: for all devices together. `device`: undefined or empty means
 * all devices of the account; if it has none, the browser is registered as one. Changes made here reach every device. All
 * methods throw `missing` for an unknown device.
 */
export interface Library {
  contents(user: UserId, options?: { withListening?: boolean }): Promise<LibraryContents>;
  /** Which of these podcasts the account subscribes to, under any of their URLs. Takes the URLs of the directory. */
  filterSubscribed(user: UserId, podcasts: readonly Url[]): Promise<Set<Url>>;
  /** The URLs under which the account subscribes to a podcast. Takes its URL in the directory. */
  addresses(user: UserId, podcast: Url): Promise<Url[]>;
  /** Returns the address as stored. Throws `invalid` for one that cannot be a feed. */
  subscribe(user: UserId, address: string, device?: string): Promise<Url>;
  /** Returns the mark from before, to pass to `removed`. */
  unsubscribe(user: UserId, urls: readonly string[], device?: string): Promise<Stamp>;
  /** Feeds that were unsubscribed since then and not subscribed again. */
  removed(user: UserId, since: Stamp): Promise<(KnownPodcast & OnDevices)[]>;
  /** Subscribes again to removed feeds, on those of their devices that still exist. */
  restore(user: UserId, removed: readonly OnDevices[]): Promise<void>;
  /** Subscribes to the podcasts of a file; `dryRun`: only reports what would change. */
  import(
    user: UserId,
    podcasts: readonly PodcastEntry[],
    options: { device?: string | undefined; dryRun: boolean },
  ): Promise<LibraryImportReport>;
}

interface Dependencies extends Pick<Storage, 'devices' | 'podcasts'> {
  subscriptions: Subscriptions;
  actionCache: ActionCache;
}

export function createLibrary(
  { devices, podcasts, subscriptions, actionCache }: Dependencies,
  rules: UrlRules,
): Library {
  /** By the current URL of each podcast: apps may know it under a former one. */
  const listenedTo = async (user: UserId): Promise<Map<Url, Seconds>> => {
    const byUrl = (await actionCache.read(user)).listenedTo();
    const { currentUrl } = await resolvePodcasts(podcasts, byUrl.keys());
    const listened = new Map<Url, Seconds>();
    for (const [url, seconds] of byUrl) {
      listened.set(currentUrl(url), (listened.get(currentUrl(url)) ?? 0) + seconds);
    }
    return listened;
  };

  /** The mark of the account, which is the same for each of its devices. */
  const currentMark = async (user: UserId): Promise<Stamp> =>
    (await subscriptions.changes(user, WEB_DEVICE.id, Number.MAX_SAFE_INTEGER)).mark;

  const targetsOf = async (user: UserId, device = ''): Promise<{ ids: string[]; isNew: boolean }> => {
    const known = (await devices.all(user)).map(({ id }) => id);
    if (device !== '' && !known.includes(device)) throw new Refusal('missing', 'you have no device with this name');
    if (known.length === 0) return { ids: [WEB_DEVICE.id], isNew: true };
    return { ids: device === '' ? known : [device], isNew: false };
  };

  const change = async (user: UserId, delta: { add?: Url[]; remove?: readonly string[] }, device?: string) => {
    const { ids, isNew } = await targetsOf(user, device);
    if (isNew) await registerWebDevice(devices, user);
    await subscriptions.upload(user, ids, { add: [], remove: [], ...delta }, { uploader: 'server' });
  };

  return {
    async contents(user, { withListening = false } = {}) {
      const known = await devices.all(user);
      const ids = known.map(({ id }) => id);
      const lists = await Promise.all(ids.map(async (id) => (await subscriptions.find(user, id)) ?? []));
      const on = new Map(groupByFeed(ids, lists).map((each) => [each.url, each.devices]));
      const urls = (await subscriptions.all(user)).filter((url) => on.has(url));
      const resolved = await resolvePodcasts(podcasts, urls);
      const newest = await podcasts.newestOfEach(urls);
      const listened = withListening ? await listenedTo(user) : undefined;
      const contents = urls.map((url, at): LibraryPodcast => {
        const episode = newest[at];
        return {
          ...resolved.get(url),
          url,
          devices: on.get(url)!,
          ...(episode && { newest: episode }),
          ...(listened && { listened: listened.get(resolved.currentUrl(url)) ?? 0 }),
        };
      });
      return { podcasts: contents, devices: known };
    },

    async filterSubscribed(user, urls) {
      const own = await subscriptions.all(user);
      const { currentUrl } = await resolvePodcasts(podcasts, own);
      const subscribed = new Set(own.map(currentUrl));
      return new Set(urls.filter((url) => subscribed.has(url)));
    },

    async addresses(user, podcast) {
      const urls = await podcasts.allUrls(podcast);
      return (await subscriptions.all(user)).filter((url) => urls.has(url));
    },

    async subscribe(user, address, device) {
      const written = toWebScheme(address);
      const url = sanitizeFeedUrl(written, rules);
      if (url === '') throw invalid(explainRefusal(written));
      await change(user, { add: [url] }, device);
      return url;
    },

    async unsubscribe(user, urls, device) {
      const mark = await currentMark(user);
      await change(user, { remove: urls }, device);
      return mark;
    },

    async removed(user, since) {
      const ids = (await devices.all(user)).map(({ id }) => id);
      const changes = await Promise.all(ids.map((id) => subscriptions.changes(user, id, since)));
      const removed = groupByFeed(
        ids,
        changes.map(({ remove }) => remove),
      );
      const resolved = await resolvePodcasts(
        podcasts,
        removed.map(({ url }) => url),
      );
      return removed.map((each) => ({ ...resolved.get(each.url), ...each }));
    },

    async restore(user, removed) {
      const known = new Set((await devices.all(user)).map(({ id }) => id));
      // Usually all were on the same devices and are restored in one step. No device id contains a slash.
      const groups = groupBy(removed, (feed) => feed.devices.filter((id) => known.has(id)).join('/'));
      groups.delete(''); // none of their devices exists any more
      for (const [on, feeds] of groups) {
        const add = feeds.map(({ url }) => url);
        await subscriptions.upload(user, on.split('/'), { add, remove: [] }, { uploader: 'server' });
      }
    },

    async import(user, entries, { device, dryRun }) {
      const { usable, ...report } = sanitizeEntries(entries, rules);
      const { ids } = await targetsOf(user, device);
      const lists = await Promise.all(
        withoutBrowser(ids).map(async (id) => new Set(await subscriptions.find(user, id))),
      );
      const all = [...usable.values()];
      const isPresent = ({ url }: PodcastEntry): boolean => lists.every((list) => list.has(url));
      const added = all.filter((each) => !isPresent(each));
      if (!dryRun && added.length > 0) {
        await change(user, { add: added.map(({ url }) => url) }, device);
        await podcasts.addMetadata(added);
      }
      return { added, present: all.filter(isPresent), ...report };
    },
  };
}

/** Turns the feeds of each device into the devices of each feed. */
function groupByFeed(ids: readonly string[], lists: readonly (readonly Url[])[]): OnDevices[] {
  const pairs = lists.flatMap((urls, at) => urls.map((url) => ({ url, device: ids[at]! })));
  const found = groupBy(pairs, ({ url }) => url);
  return Array.from(found, ([url, on]) => ({ url, devices: on.map(({ device }) => device) }));
}

/** The orders in which podcasts can be listed. */
export const LIBRARY_ORDERS = ['name', 'newest', 'listened'] as const;
export type LibraryOrder = (typeof LIBRARY_ORDERS)[number];

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
const nameOf = ({ title, url }: KnownPodcast): string => title || url;
const byName = (a: KnownPodcast, b: KnownPodcast): number => collator.compare(nameOf(a), nameOf(b));

/** Highest first. */
const RANKS: Record<LibraryOrder, (podcast: LibraryPodcast) => number> = {
  name: () => 0,
  newest: ({ newest }) => newest?.releasedAt ?? 0,
  listened: ({ listened = 0 }) => listened,
};

/** Further words of a filter are ignored: thousands of them would keep the server busy for seconds. */
const MAX_WORDS = 20;

/**
 * Podcasts whose title, author or address contains each word of `text`, the first 20, in the given order. Letter case and
 * accents do not matter.
 */
export function selectPodcasts(
  podcasts: readonly LibraryPodcast[],
  { text, order }: { text: string; order: LibraryOrder },
): LibraryPodcast[] {
  const words = foldText(text).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const found = podcasts.filter(({ title = '', author = '', url }) => {
    const searched = foldText(`${title}\n${author}\n${url}`);
    return words.every((word) => searched.includes(word));
  });
  return found.toSorted((a, b) => RANKS[order](b) - RANKS[order](a) || byName(a, b));
}
