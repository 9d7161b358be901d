import assert from 'node:assert/strict';
import type { Stamp, SubscriptionChange, UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import { add, addUser, feed } from './samples.ts';

export const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(feed) as [string, string, string, string];

/** Groups, sorted for comparison. */
export const sorted = (groups: readonly (readonly string[])[], separator = ' '): string[] =>
  groups.map((group) => group.toSorted().join(separator)).toSorted();

export const markOf = async (storage: Storage, user: UserId): Promise<Stamp> =>
  (await storage.subscriptions.since(user, 'phone', 0)).mark;

/** A user whose devices have one feed each: the phone A, the TV B, the car C. */
export async function addUserWithDevices(storage: Storage): Promise<UserId> {
  const alice = await addUser(storage);
  for (const [device, url] of [
    ['phone', A],
    ['tv', B],
    ['car', C],
  ] as const) {
    await storage.subscriptions.apply(alice, device, add(url));
  }
  return alice;
}

/** The changes that a device receives, sorted. */
export async function changesFor(
  storage: Storage,
  user: UserId,
  device: string,
  since: Stamp,
): Promise<Set<SubscriptionChange>> {
  const { items } = await storage.subscriptions.since(user, device, since);
  assert.equal(new Set(items.map(({ url }) => url)).size, items.length, 'a feed is returned twice');
  return new Set(items);
}

export const currentOf = async (storage: Storage, user: UserId, device: string): Promise<Set<string>> =>
  new Set(await storage.subscriptions.current(user, device));
