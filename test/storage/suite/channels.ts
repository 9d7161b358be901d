import type { Sender, Stamp, UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import { action, add, feed, numberOf, numbersOf, readPages } from './samples.ts';

/** One kind of change as an app on one device sees it. A change is a number: that of a feed or of an episode. */
export interface Channel {
  /** Uploads changes; answers the mark. One that was uploaded before changes nothing. */
  push(...numbers: number[]): Promise<Stamp>;
  /** What is there at `since` or later, and the mark. */
  pull(since: Stamp): Promise<{ numbers: number[]; mark: Stamp }>;
}

type OpenChannel = (storage: Storage, user: UserId, device: string, sender?: Sender) => Channel;

export const openSubscriptions: OpenChannel = ({ subscriptions }, user, device, sender) => ({
  push: (...numbers) => subscriptions.apply(user, device, add(...numbers.map(feed)), sender),
  async pull(since) {
    const { items, mark } = await subscriptions.since(user, device, since);
    return { numbers: numbersOf(items), mark };
  },
});

export const openActions: OpenChannel = ({ actions }, user, device, sender) => ({
  push: (...numbers) =>
    actions.append(
      user,
      numbers.map((n) => action(n, { device })),
      sender,
    ),
  async pull(since) {
    const { pages, mark } = await actions.query(user, { since });
    const found = await readPages(pages);
    return { numbers: found.map(({ episode }) => numberOf(episode)), mark };
  },
});

/** The rules of stamps are the same for both kinds. */
export const CHANNELS: readonly (readonly [string, OpenChannel])[] = [
  ['subscriptions', openSubscriptions],
  ['episode actions', openActions],
];
