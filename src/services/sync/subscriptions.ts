import { parseDeviceId } from '../../domain/device.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import type { Stamp, SubscriptionChange, Uploader, Url, UserId } from '../../domain/types.ts';
import {
  createRewriteLog,
  decodeEscapes,
  hasCredentials,
  checkFeedCount,
  type RewriteLog,
  sanitizeFeedUrl,
  type UrlRewrites,
  type UrlRules,
} from '../../domain/url.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import type { Storage } from '../../storage/stores.ts';
import { resolvePodcasts } from '../directory/resolve-podcasts.ts';
import { explainRefusal, sanitizeFeedUrls } from './feed-urls.ts';

export interface Subscriptions {
  /** The feeds of a device, in the order first added. Throws `missing` for an unknown device (spec 4.3 rule 6). */
  list(user: UserId, device: string): Promise<Url[]>;
  /** The same; undefined for an unknown device. */
  find(user: UserId, device: string): Promise<Url[] | undefined>;
  /** The feeds of all devices of the user, each once. */
  all(user: UserId): Promise<Url[]>;
  /**
   * Replaces the list of a device; creates the device if it is new. Throws `invalid`, and `too-large` for more feeds than
   * one upload may contain; then nothing changes. `uploader`: see `originOf`.
   */
  replace(user: UserId, device: string, submitted: readonly string[], uploader?: Uploader): Promise<void>;
  /**
   * Delta upload to one or several devices, which it creates if they are new. A feed that the devices never had under its
   * address is removed under any other address of the same podcast. Throws `invalid` if a feed is in both lists, however
   * it is written, and `too-large`. `uploader`: see `originOf`. With `refuse`, such a feed is skipped and the others are
   * stored; it is called with the reason, also for a feed whose address cannot be used.
   */
  upload(
    user: UserId,
    device: string | readonly string[],
    delta: Delta,
    options?: { uploader?: Uploader; refuse?: (reason: string) => void },
  ): Promise<{ mark: Stamp; rewrites: UrlRewrites }>;
  /** The changes on a device at `since` or later; none for an unknown device. */
  changes(user: UserId, device: string, since: Stamp): Promise<Delta & { mark: Stamp }>;
}

interface Delta {
  add: readonly string[];
  remove: readonly string[];
}

export function createSubscriptions(
  { devices, podcasts, subscriptions }: Pick<Storage, 'devices' | 'podcasts' | 'subscriptions'>,
  rules: UrlRules,
): Subscriptions {
  const sanitizeAll = async (submitted: readonly string[], rewrites: RewriteLog): Promise<Url[]> => {
    const urls = await mapInSlices(submitted, (url) => rewrites.add(url, sanitizeFeedUrl(url, rules)));
    return urls.filter((url) => url !== '');
  };

  /**
   * The subscriptions of the devices to the podcasts of feeds that they never had under the given addresses. An app that
   * follows a feed to its new address does not report that (AntennaPod, gPodder), and later unsubscribes from there.
   * Others decode escapes of the addresses that they receive: `%3A` (AntennaPod) or all (Kasts). A feed that the devices
   * had is left out: the user may have removed one of two addresses, and AntennaPod sends every removal that it receives
   * back to the server.
   */
  const underOtherAddresses = async (
    user: UserId,
    ids: readonly string[],
    removed: ReadonlySet<Url>,
  ): Promise<Url[]> => {
    const rows = (await Promise.all(ids.map((id) => subscriptions.since(user, id, 0)))).flatMap(({ items }) => items);
    const unknown = new Set(removed);
    const own: Url[] = [];
    await eachInSlices(rows, ({ url, subscribed }) => {
      unknown.delete(url);
      if (subscribed) own.push(url);
    });
    if (unknown.size === 0) return [];
    const { currentUrl } = await resolvePodcasts(podcasts, [...unknown, ...own]);
    const podcastOf = (url: Url): string => decodeEscapes(currentUrl(url));
    const gone = new Set(await mapInSlices(unknown, podcastOf));
    const found: Url[] = [];
    await eachInSlices(own, (url) => gone.has(podcastOf(url)) && found.push(url));
    return found;
  };

  const find: Subscriptions['find'] = async (user, device) =>
    (await devices.find(user, device)) && subscriptions.current(user, device);

  return {
    find,

    async list(user, device) {
      const urls = await find(user, device);
      if (!urls) throw new Refusal('missing', 'there is no device with this id');
      return urls;
    },

    all: (user) => subscriptions.current(user),

    async replace(user, device, submitted, uploader) {
      const id = parseDeviceId(device);
      await subscriptions.replace(user, id, await sanitizeFeedUrls(submitted, rules), uploader);
    },

    async upload(user, device, { add, remove }, { uploader, refuse } = {}) {
      const ids = [device].flat().map(parseDeviceId);
      checkFeedCount([...add, ...remove]);
      const rewrites = createRewriteLog();
      const wanted = await sanitizeAll(add, rewrites);
      // With credentials, too: the feed may have been stored while credentials were kept.
      const whole = await mapInSlices(remove, (url) => sanitizeFeedUrl(url, { keepCredentials: true }));
      const removed = new Set<Url>();
      const submitted = [...(await sanitizeAll(remove, rewrites)), ...whole.filter(hasCredentials)];
      await eachInSlices(submitted, (url) => removed.add(url));
      const refusal = invalid('the same feed is in "add" and in "remove"');
      const both = new Set<Url>();
      const changes: SubscriptionChange[] = [];
      await eachInSlices(wanted, (url) => {
        if (removed.has(url)) both.add(url);
        else changes.push({ url, subscribed: true });
      });
      if (both.size > 0 && !refuse) throw refusal;
      if (both.size > 0) refuse?.(refusal.message);
      for (const [from, to] of rewrites.pairs) if (to === '') refuse?.(`a feed was left out: ${explainRefusal(from)}`);
      if (removed.size > 0) {
        const added = new Set(wanted);
        for (const url of await underOtherAddresses(user, ids, removed)) if (!added.has(url)) removed.add(url);
      }
      await eachInSlices(removed, (url) => both.has(url) || changes.push({ url, subscribed: false }));
      const mark = await subscriptions.apply(user, ids, changes, uploader);
      return { mark, rewrites: rewrites.pairs };
    },

    async changes(user, device, since) {
      const { items, mark } = await subscriptions.since(user, parseDeviceId(device), since);
      const urls = (subscribed: boolean): Url[] =>
        items.filter((item) => item.subscribed === subscribed).map(({ url }) => url);
      // A client that starts from the beginning has nothing to remove.
      return { add: urls(true), remove: since === 0 ? [] : urls(false), mark };
    },
  };
}
