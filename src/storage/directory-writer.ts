import type { Seconds, Url, UserId } from '../domain/types.ts';
import type { Key, Value } from './contract.ts';
import { actedKey, changedKey, podcastKey, subscriberKey, subscriptionKey, type UrlDigest, urlDigest } from './keys.ts';

/** Of one account, each URL once. */
export interface AccountChange {
  /** It subscribes to these on some device now, and did on none before. */
  subscribed?: readonly Url[];
  /** It subscribed to these on some device, and does on none any more. */
  unsubscribed?: readonly Url[];
  /** It acted on episodes of these. Not only for the first time: a repeat changes nothing. */
  acted?: readonly Url[];
}

/** To be added to the account's own batch. No key of it needs a check. */
export interface DirectoryChange {
  set: (readonly [Key, Value])[];
  delete: Key[];
  sum: (readonly [Key, number])[];
  /** To be called once the batch is stored: brings this process's copy of the directory up to date. */
  apply(): void;
}

export interface DirectoryWriter {
  /** What the directory stores of a change of an account. */
  prepare(user: UserId, change: AccountChange): DirectoryChange;
}

/** What a process holds of the directory in memory. */
export interface DirectoryCopy {
  has(digest: UrlDigest): boolean;
  /** `since`: when URLs became known that were not before. */
  apply(user: UserId, change: Required<AccountChange>, since: Seconds): void;
}

const NO_COPY: DirectoryCopy = { has: () => false, apply: () => undefined };

/** `isShared` as in KeyValueStore. Without a copy nothing is known: every URL is stored, as if it were new. */
export const createDirectoryWriter = (
  { isShared, now }: { isShared: boolean; now(): Seconds },
  copy: DirectoryCopy = NO_COPY,
): DirectoryWriter => ({
  prepare(user, { subscribed = [], unsubscribed = [], acted = [] }) {
    const since = now();
    const set = new Map<Key, Value>();
    const deleted: Key[] = [];
    const sum: [Key, number][] = [];
    const setUrl = (digest: UrlDigest, url: Url): void => {
      if (copy.has(digest)) return;
      set.set(podcastKey(digest, 'url'), JSON.stringify({ url, since }));
      if (isShared) set.set(changedKey(since, digest), '1');
    };
    const count = (digest: UrlDigest, by: 1 | -1): void => {
      sum.push([podcastKey(digest, 'count'), by]);
      if (isShared) set.set(changedKey(since, digest), '1');
    };

    for (const url of subscribed) {
      const digest = urlDigest(url);
      setUrl(digest, url);
      set.set(subscriberKey(digest, user), '1').set(subscriptionKey(user, digest), '1');
      count(digest, 1);
    }
    for (const url of unsubscribed) {
      const digest = urlDigest(url);
      deleted.push(subscriberKey(digest, user), subscriptionKey(user, digest));
      count(digest, -1);
    }
    if (isShared && sum.length > 0) set.set(changedKey(since, `b/${user}`), '1');
    for (const url of acted) {
      const digest = urlDigest(url);
      setUrl(digest, url);
      set.set(actedKey(digest, user), '1');
    }
    const apply = (): void => copy.apply(user, { subscribed, unsubscribed, acted }, since);
    return { set: [...set], delete: deleted, sum, apply };
  },
});
