import type { Seconds, Url, UserId } from '../domain/types.ts';
import { eachInSlices } from '../slices.ts';
import type { Key, Value } from './contract.ts';
import {
  actedKey,
  changedKey,
  edgeValue,
  podcastKey,
  subscriberKey,
  subscriptionKey,
  type UrlDigest,
  urlDigest,
} from './keys.ts';

/** Of one account, each URL once. */
export interface AccountChange {
  /** It subscribes to these on some device now, and did on none before. */
  subscribed?: readonly Url[];
  /** It subscribed to these on some device, and does on none any more. */
  unsubscribed?: readonly Url[];
  /** Which of those are, or were, private. */
  private?: ReadonlySet<Url>;
  /** It goes on subscribing to these, from now on so that nobody else sees it. */
  hidden?: readonly Url[];
  /** It goes on subscribing to these, from now on publicly. */
  shown?: readonly Url[];
  /** It acted on episodes of these. Not only for the first time: a repeat changes nothing. */
  acted?: readonly Url[];
  /** It subscribes to these already, and the directory does not know them yet: see `newFeeds`. */
  waiting?: readonly Url[];
  /**
   * How many of the feeds that it subscribes to may be new to the directory. The others wait: that the account
   * subscribes is stored, but no podcast.
   */
  newFeeds?: number;
}

/** To be added to the account's own batch. No key of it needs a check. */
export interface DirectoryChange {
  set: (readonly [Key, Value])[];
  delete: Key[];
  sum: (readonly [Key, number])[];
  /** How many feeds it brings into the directory. */
  newFeeds: number;
  /** To be called once the batch is stored: brings this process's copy of the directory up to date. */
  apply(): Promise<void>;
}

export interface DirectoryWriter {
  /** What the directory stores of a change of an account. */
  prepare(user: UserId, change: AccountChange): Promise<DirectoryChange>;
  /** The URL that the podcast with this one is shown under; the same where none is known. */
  shownUrl(url: Url): Url;
  /** Whether everybody may be told of the podcast, and of this URL of it. */
  isListed(url: Url): boolean;
}

/** What a change of an account does to a copy of the directory. */
export interface CopyChange extends Required<Omit<AccountChange, 'acted' | 'waiting' | 'newFeeds'>> {
  /** Feeds that the directory did not know. */
  added: readonly Url[];
}

/** What a process holds of the directory in memory. */
export interface DirectoryCopy extends Omit<DirectoryWriter, 'prepare'> {
  has(digest: UrlDigest): boolean;
  /** Whether anyone subscribes to the podcast. */
  isInUse(digest: UrlDigest): boolean;
  /** `since`: when URLs became known that were not before. */
  apply(user: UserId, change: CopyChange, since: Seconds): Promise<void>;
}

const NO_COPY: DirectoryCopy = {
  has: () => false,
  isInUse: () => false,
  apply: async () => undefined,
  shownUrl: (url) => url,
  isListed: () => false,
};

const NOTHING: Required<AccountChange> = {
  subscribed: [],
  unsubscribed: [],
  private: new Set(),
  hidden: [],
  shown: [],
  acted: [],
  waiting: [],
  newFeeds: Infinity,
};

/** `isShared` as in KeyValueStore. Without a copy nothing is known: every URL is stored, as if it were new. */
export const createDirectoryWriter = (
  { isShared, now }: { isShared: boolean; now(): Seconds },
  copy: DirectoryCopy = NO_COPY,
): DirectoryWriter => ({
  shownUrl: (url) => copy.shownUrl(url),
  isListed: (url) => copy.isListed(url),

  async prepare(user, change) {
    const { waiting, newFeeds, acted, ...subscriptions } = { ...NOTHING, ...change };
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
      // Also of a podcast that nobody has: it may be removed at this moment.
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
    await eachInSlices(waiting, (url) => setUrl(urlDigest(url), url));
    await eachInSlices(acted, (url) => set.set(actedKey(urlDigest(url), user), '1'));
    const apply = (): Promise<void> => copy.apply(user, { added, ...subscriptions }, since);
    return { set: [...set], delete: deleted, sum, newFeeds: added.length, apply };
  },
});
