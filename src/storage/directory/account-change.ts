import type { Seconds, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { CopyChange } from '../directory-writer.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import type { Memory } from './memory.ts';
import type { SubscriberGraph } from './subscriber-graph.ts';
import type { Subscription } from './subscriber-set.ts';

interface Target {
  memory: Memory;
  graph: SubscriberGraph;
  /** Called for each URL whose number of subscribers has changed. */
  onCountChanged(digest: UrlDigest): void;
}

/** Applies a change of an account to this process's copy of the directory. */
export async function applyChange(
  { memory, graph, onCountChanged }: Target,
  user: UserId,
  change: CopyChange,
  since: Seconds,
): Promise<void> {
  await eachInSlices(change.added, (url) => memory.ensure(url, since));
  const set = (url: Url, now: Subscription, before: Subscription): void => {
    const digest = urlDigest(url);
    memory.setSubscription(user, digest, now, before);
    const address = memory.address(digest);
    if (address) graph.set(user, address, now !== undefined);
    else graph.drop(user);
    onCountChanged(digest);
  };
  const visibilityOf = (url: Url): Subscription => (change.private.has(url) ? 'private' : 'public');
  await eachInSlices(change.subscribed, (url) => set(url, visibilityOf(url), undefined));
  await eachInSlices(change.unsubscribed, (url) => set(url, undefined, visibilityOf(url)));
  await eachInSlices(change.hidden, (url) => set(url, 'private', 'public'));
  await eachInSlices(change.shown, (url) => set(url, 'public', 'private'));
}
