import type { Seconds, Url, UserId } from '../domain/types.ts';
import { eachInSlices } from '../slices.ts';
import type { Key, Value } from './contract.ts';
import {
  actionIndexKey,
  changedKey,
  edgeValue,
  podcastKey,
  subscriberKey,
  subscriptionKey,
  type UrlDigest,
  urlDigest,
} from './keys.ts';

/** A change of one account. Each URL occurs once. */
export interface AccountChange {
  /** Feeds that the account subscribes to now on some device, and on none before. */
  subscribed?: readonly Url[];
  /** Feeds that the account subscribed to on some device, and on none now. */
  unsubscribed?: readonly Url[];
  /** Those of them that are, or were, private. */
  private?: ReadonlySet<Url>;
  /** Existing subscriptions that become private. */
  hidden?: readonly Url[];
  /** Existing subscriptions that become public. */
  shown?: readonly Url[];
  /** Feeds of its episode actions. Repeats are harmless. */
  actionFeeds?: readonly Url[];
  /** Feeds that it subscribes to already and that are not in the directory yet: see `newFeeds`. */
  pending?: readonly Url[];
  /**
   * How many feeds may be added to the directory. The others stay pending: the subscription is stored, but no podcast.
   */
  newFeeds?: number;
}

/** Entries to be added to the account's own batch, without checks. */
export interface DirectoryChange {
  set: (readonly [Key, Value])[];
  delete: Key[];
  sum: (readonly [Key, number])[];
  /** Number of feeds added to the directory. */
  newFeeds: number;
  /** To be called after the commit: updates this process's copy of the directory. */
  apply(): Promise<void>;
}

export interface DirectoryWriter {
  /** Prepares what the directory stores for a change of an account. */
  prepare(user: UserId, change: AccountChange): Promise<DirectoryChange>;
  /** The current URL of the podcast with this URL; the same URL if the podcast is unknown. */
  currentUrl(url: Url): Url;
  /** Whether the podcast and this URL of it are public. */
  isListed(url: Url): boolean;
}

/** A change of an account, as applied to a copy of the directory. */
export interface CopyChange extends Required<Omit<AccountChange, 'actionFeeds' | 'pending' | 'newFeeds'>> {
  /** Feeds added to the directory. */
  added: readonly Url[];
}

/** A process's copy of the directory in memory. */
export interface DirectoryCopy extends Omit<DirectoryWriter, 'prepare'> {
  has(digest: UrlDigest): boolean;
  /** Whether the podcast has subscribers. */
  isInUse(digest: UrlDigest): boolean;
  /** `since`: when added feeds became known. */
  apply(user: UserId, change: CopyChange, since: Seconds): Promise<void>;
}

const NO_COPY: DirectoryCopy = {
  has: () => false,
  isInUse: () => false,
  apply: async () => undefined,
  currentUrl: (url) => url,
  isListed: () => false,
};

const NOTHING: Required<AccountChange> = {
  subscribed: [],
  unsubscribed: [],
  private: new Set(),
  hidden: [],
  shown: [],
  actionFeeds: [],
  pending: [],
  newFeeds: Infinity,
};

/** `isShared` as in KeyValueStore. Without a copy, every URL is stored as if it were new. */
export const createDirectoryWriter = (
  { isShared, now }: { isShared: boolean; now(): Seconds },
  copy: DirectoryCopy = NO_COPY,
): DirectoryWriter => ({
  currentUrl: (url) => copy.currentUrl(url),
  isListed: (url) => copy.isListed(url),

  async prepare(user, change) {
    const { pending, newFeeds, actionFeeds, ...subscriptions } = { ...NOTHING, ...change };
    const { subscribed, unsubscribed, hidden, shown } = subscriptions;
    const since = now();
    const set = new Map<Key, Value>();
    const deleted: Key[] = [];
    const sum: [Key, number][] = [];
    const added: Url[] = [];
    const setUrl = (digest: UrlDigest, url: Url): void => {
      if (!copy.has(digest)) {
        if (added.length >= newFeeds) return;
        added.push(url);
      } else if (copy.isInUse(digest)) return;
      // Also for a podcast without subscribers, which may be removed concurrently.
      set.set(podcastKey(digest, 'url'), JSON.stringify({ url, since }));
      if (isShared) set.set(changedKey(since, digest), '1');
    };
    const count = (digest: UrlDigest, part: 'count' | 'private', by: 1 | -1): void => {
      sum.push([podcastKey(digest, part), by]);
      if (isShared) set.set(changedKey(since, digest), '1');
    };
    const setEdge = (digest: UrlDigest, isPrivate: boolean): void => {
      const value = edgeValue(isPrivate);
      set.set(subscriberKey(digest, user), value).set(subscriptionKey(user, digest), value);
    };

    await eachInSlices(subscribed, (url) => {
      const digest = urlDigest(url);
      setUrl(digest, url);
      setEdge(digest, subscriptions.private.has(url));
      count(digest, 'count', 1);
      if (subscriptions.private.has(url)) count(digest, 'private', 1);
    });
    await eachInSlices(unsubscribed, (url) => {
      const digest = urlDigest(url);
      deleted.push(subscriberKey(digest, user), subscriptionKey(user, digest));
      count(digest, 'count', -1);
      if (subscriptions.private.has(url)) count(digest, 'private', -1);
    });
    for (const [urls, isPrivate] of [
      [hidden, true],
      [shown, false],
    ] as const) {
      await eachInSlices(urls, (url) => {
        const digest = urlDigest(url);
        setEdge(digest, isPrivate);
        count(digest, 'private', isPrivate ? 1 : -1);
      });
    }
    if (isShared && sum.length > 0) set.set(changedKey(since, `b/${user}`), '1');
    await eachInSlices(pending, (url) => setUrl(urlDigest(url), url));
    await eachInSlices(actionFeeds, (url) => set.set(actionIndexKey(urlDigest(url), user), '1'));
    const apply = (): Promise<void> => copy.apply(user, { added, ...subscriptions }, since);
    return { set: [...set], delete: deleted, sum, newFeeds: added.length, apply };
  },
});
