import type { Seconds, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Key, Value } from '../contract.ts';
import {
  actionIndexKey,
  changedKey,
  edgeValue,
  podcastKey,
  subscriberKey,
  subscriptionKey,
  type UrlDigest,
  urlDigest,
} from '../keys.ts';
import type { Directory } from './directory.ts';
import type { SubscriptionChange } from './memory.ts';
import { isSecret, subscribersOf } from './podcast.ts';
import type { Subscription } from './subscriber-set.ts';

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

export const createDirectoryWriter = (directory: Directory): DirectoryWriter => ({
  currentUrl: (url) => directory.memory.find(url)?.url ?? url,

  isListed(url) {
    const address = directory.memory.address(urlDigest(url));
    return address !== undefined && address.home.isListed && !isSecret(address);
  },

  async prepare(user, change) {
    const { memory, context, store } = directory;
    const { pending = [], newFeeds = Infinity, actionFeeds = [] } = change;
    const since = context.now();
    const set = new Map<Key, Value>();
    const deleted: Key[] = [];
    const sum: [Key, number][] = [];
    const added: Url[] = [];
    const changes: SubscriptionChange[] = [];
    const setChanged = (what: UrlDigest | `b/${UserId}`): void => {
      if (store.isShared) set.set(changedKey(since, what), '1');
    };
    const setUrl = (url: Url, digest = urlDigest(url)): void => {
      const address = memory.address(digest);
      if (!address) {
        if (added.length >= newFeeds) return;
        added.push(url);
      } else if (address.home.podcast && subscribersOf(address.home.podcast) > 0) return;
      // Also for a podcast without subscribers, which may be removed concurrently.
      set.set(podcastKey(digest, 'url'), JSON.stringify({ url, since }));
      setChanged(digest);
    };

    await eachInSlices(subscriptionChanges(change), (each) => {
      changes.push(each);
      const { url, digest, now, count, privateCount } = each;
      if (count === 1) setUrl(url, digest);
      const edges = [subscriberKey(digest, user), subscriptionKey(user, digest)];
      if (now === undefined) deleted.push(...edges);
      else for (const key of edges) set.set(key, edgeValue(now === 'private'));
      if (count !== 0) sum.push([podcastKey(digest, 'count'), count]);
      if (privateCount !== 0) sum.push([podcastKey(digest, 'private'), privateCount]);
      setChanged(digest);
    });
    if (changes.length > 0) setChanged(`b/${user}`);
    await eachInSlices(pending, (url) => setUrl(url));
    await eachInSlices(actionFeeds, (url) => set.set(actionIndexKey(urlDigest(url), user), '1'));
    const apply = (): Promise<void> => applyToMemory(directory, user, added, changes, since);
    return { set: [...set], delete: deleted, sum, newFeeds: added.length, apply };
  },
});

/** `added`: feeds added to the directory at `since`. */
async function applyToMemory(
  { memory, graph, store, dirtyCounts }: Directory,
  user: UserId,
  added: readonly Url[],
  changes: readonly SubscriptionChange[],
  since: Seconds,
): Promise<void> {
  await eachInSlices(added, (url) => memory.ensure(url, since));
  await eachInSlices(changes, (change) => {
    memory.setSubscription(user, change);
    const address = memory.address(change.digest);
    if (address) graph.set(user, address, change.now !== undefined);
    else graph.drop(user);
    if (store.isShared) dirtyCounts.add(change.digest);
  });
}

function* subscriptionChanges(change: AccountChange): Iterable<SubscriptionChange> {
  const { subscribed = [], unsubscribed = [], hidden = [], shown = [] } = change;
  const visibilityOf = (url: Url): Subscription => (change.private?.has(url) ? 'private' : 'public');
  for (const url of subscribed) yield toSubscriptionChange(url, undefined, visibilityOf(url));
  for (const url of unsubscribed) yield toSubscriptionChange(url, visibilityOf(url), undefined);
  for (const url of hidden) yield toSubscriptionChange(url, 'public', 'private');
  for (const url of shown) yield toSubscriptionChange(url, 'private', 'public');
}

const toSubscriptionChange = (url: Url, before: Subscription, now: Subscription): SubscriptionChange => ({
  url,
  digest: urlDigest(url),
  now,
  count: Number(now !== undefined) - Number(before !== undefined),
  privateCount: Number(now === 'private') - Number(before === 'private'),
});
