import type { Url, UserId } from '../../domain/types.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import type { Key, Value } from '../contract.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import type { Directory } from './directory.ts';
import type { UrlDocument } from './documents.ts';
import { type Change, changeKey, podcastKey, type Subscription, subscriptionKey, subscriptionValue } from './keys.ts';
import { subscribersOf } from './podcast.ts';

/** A change of the subscriptions of one account. No feed is in both `subscribed` and `unsubscribed`, or twice in one of them. */
export interface AccountChange {
  /** Feeds that the account subscribes to now on some device. */
  subscribed?: readonly Url[];
  /** Which of them are private; none if it is missing. */
  isPrivate?: ((url: Url) => boolean) | undefined;
  /** Feeds that the account subscribed to on some device, and on none now. */
  unsubscribed?: readonly UrlDigest[];
  /** Feeds that it subscribes to already and that are not in the directory yet: see `newFeeds`. */
  pending?: readonly Url[];
  /** How many feeds may be added to the directory: 0 if missing. The others stay pending, stored without a podcast. */
  newFeeds?: number;
}

/** Entries to be added to the account's own batch, without checks. */
export interface DirectoryChange {
  set: (readonly [Key, Value])[];
  delete: Key[];
  /** Number of feeds added to the directory. */
  newFeeds: number;
  /** The subscribed and unsubscribed feeds. */
  changed: UrlDigest[];
  /** To be called after the commit: updates this process's copy of the directory. */
  apply(): Promise<void>;
}

/** Prepares what the directory stores for a change of an account. */
export async function prepareChange(
  { store, context, memory, changedHere }: Directory,
  user: UserId,
  change: AccountChange,
): Promise<DirectoryChange> {
  const { subscribed = [], unsubscribed = [], pending = [], newFeeds = 0 } = change;
  const hidden = new Set(change.isPrivate && subscribed.filter(change.isPrivate)); // before any podcast moves
  const now = context.now();
  const set = new Map<Key, Value>();
  const deleted: Key[] = [];
  const subscriptions: [UrlDigest, Subscription][] = [];
  /** Feeds whose `UrlDocument` is set, and how many of them are new. */
  const urls: Url[] = [];
  let added = 0;

  const notify = (changed: Change): void => {
    if (store.isShared) set.set(changeKey(now, changed), '1');
  };
  const setUrl = (digest: UrlDigest, url: Url): void => {
    set.set(podcastKey(digest, 'url'), JSON.stringify({ url, since: now } satisfies UrlDocument));
  };
  const subscribe = (digest: UrlDigest, subscription: Subscription): void => {
    subscriptions.push([digest, subscription]);
    const key = subscriptionKey(digest, user);
    if (subscription) set.set(key, subscriptionValue(subscription));
    else deleted.push(key);
    notify(`${digest}/${user}`);
    const left = subscription ? undefined : memory.at(digest);
    if (left) setUrl(left.address.digest, left.url);
  };
  const addUrl = (url: Url): void => {
    const digest = urlDigest(url);
    const podcast = memory.at(digest);
    // Also for a podcast without subscribers, which may be removed concurrently.
    if (podcast ? subscribersOf(podcast) > 0 : added >= newFeeds) return;
    if (!podcast) added += 1;
    urls.push(url);
    setUrl(digest, url);
    notify(digest);
  };

  await eachInSlices(subscribed, (url) => {
    subscribe(urlDigest(url), hidden.has(url) ? 'private' : 'public');
    addUrl(url);
  });
  await eachInSlices(unsubscribed, (digest) => subscribe(digest, undefined));
  await eachInSlices(pending, addUrl);
  return {
    set: [...set],
    delete: deleted,
    newFeeds: added,
    changed: subscriptions.map(([digest]) => digest),
    async apply() {
      await eachInSlices(urls, (url) => memory.ensure(url, now));
      await eachInSlices(subscriptions, ([digest, subscription]) => {
        memory.subscribe(user, digest, subscription);
        if (store.isShared) changedHere.add(subscriptionKey(digest, user));
      });
    },
  };
}

/** Prepares the change that corrects what the directory lacks or has wrong of the subscriptions of an account. */
export async function prepareCorrection(
  directory: Directory,
  user: UserId,
  urls: readonly Url[],
  isPrivate: (url: Url) => boolean = () => false,
): Promise<DirectoryChange> {
  const current = new Map(await mapInSlices(urls, (url) => [urlDigest(url), url] as const));
  const known = directory.memory.subscriptionsByDigest(user);
  const wrong = [...current].filter(([digest, url]) => known.get(digest) !== (isPrivate(url) ? 'private' : 'public'));
  const subscribed = wrong.map(([, url]) => url);
  const unsubscribed = [...known.keys()].filter((digest) => !current.has(digest));
  return prepareChange(directory, user, { subscribed, unsubscribed, isPrivate });
}
