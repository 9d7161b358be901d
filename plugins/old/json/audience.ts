import type { Url, UserId } from '../../../src/old-plugin.ts';

/** Users, or feeds. Each is numbered in the order it came, so that counting over all of them needs no look-ups. */
class Side<Key> {
  readonly keys: Key[] = [];
  /** For each number here, the numbers on the other side that it is linked with. */
  readonly links: Set<number>[] = [];
  readonly #numbers = new Map<Key, number>();

  linksOf(key: Key): ReadonlySet<number> {
    return this.links[this.#numbers.get(key) ?? -1] ?? new Set();
  }

  /** The number of a key; a new key is given the next one. */
  numberOf(key: Key): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.keys.length);
    this.links.push(new Set());
    return this.keys.push(key) - 1;
  }
}

/** Who subscribes to what, on any device: read from the accounts at the start and kept current, never stored itself. */
export class Audience {
  users = new Side<UserId>();
  feeds = new Side<Url>();

  count(feed: Url): number {
    return this.feeds.linksOf(feed).size;
  }

  feedsOf(user: UserId): Url[] {
    return Array.from(this.users.linksOf(user), (feed) => this.feeds.keys[feed]!);
  }

  /** Answers whether that changed anything. */
  set(user: UserId, feed: Url, isSubscribed: boolean): boolean {
    if (!isSubscribed && this.count(feed) === 0) return false;
    const [userNumber, feedNumber] = [this.users.numberOf(user), this.feeds.numberOf(feed)];
    const [feeds, users] = [this.users.links[userNumber]!, this.feeds.links[feedNumber]!];
    if (users.has(userNumber) === isSubscribed) return false;
    if (isSubscribed) {
      users.add(userNumber);
      feeds.add(feedNumber);
    } else {
      users.delete(userNumber);
      feeds.delete(feedNumber);
    }
    return true;
  }

  /** Gives the subscribers of one feed to another: the two turned out to be the same. */
  merge(from: Url, to: Url): void {
    for (const number of this.feeds.linksOf(from)) {
      const user = this.users.keys[number]!;
      this.set(user, from, false);
      this.set(user, to, true);
    }
  }

  clear(): void {
    this.users = new Side();
    this.feeds = new Side();
  }

  /** Removes a user; answers the feeds that the user had. */
  remove(user: UserId): Url[] {
    const feeds = this.feedsOf(user);
    for (const feed of feeds) this.set(user, feed, false);
    return feeds;
  }
}
