import type { Stamp, Uploader, UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import { action, add, feed, numberOf, numbersOf, readPages } from './samples.ts';

/** Subscriptions or actions, from the view of an app on one device. A change is the number of a feed or an episode. */
export interface Channel {
  /** Uploads changes; returns the mark. Repeated changes have no effect. */
  push(...numbers: number[]): Promise<Stamp>;
  /** Changes at `since` or later, and the mark. */
  pull(since: Stamp): Promise<{ numbers: number[]; mark: Stamp }>;
}

type OpenChannel = (storage: Storage, user: UserId, device: string, uploader?: Uploader) => Channel;

export const openSubscriptions: OpenChannel = ({ subscriptions }, user, device, uploader) => ({
  push: (...numbers) => subscriptions.apply(user, device, add(...numbers.map(feed)), uploader),
  async pull(since) {
    const { items, mark } = await subscriptions.since(user, device, since);
    return { numbers: numbersOf(items), mark };
  },
});

export const openActions: OpenChannel = ({ actions }, user, device, uploader) => ({
  push: (...numbers) =>
    actions.append(
      user,
      numbers.map((n) => action(n, { device })),
      uploader,
    ),
  async pull(since) {
    const { pages, mark } = await actions.query(user, { since });
    const found = await readPages(pages);
    return { numbers: found.map(({ episode }) => numberOf(episode)), mark };
  },
});

/** The rules of stamps are the same for both. */
export const CHANNELS: readonly (readonly [string, OpenChannel])[] = [
  ['subscriptions', openSubscriptions],
  ['episode actions', openActions],
];
