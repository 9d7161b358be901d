import type { UserId } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import { under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';

/** Who subscribes to a podcast that has several URLs: each account counts once. */
export class SubscriberSet {
  readonly #urls = new Map<UserId, Set<UrlDigest>>();
  /** What changed while the set was being read. */
  #early: (() => void)[] | undefined = [];

  get size(): number {
    return this.#urls.size;
  }

  /** Reads all there is. Changes of this process that come meanwhile count once that is done. */
  async load(store: KeyValueStore, digests: readonly UrlDigest[]): Promise<void> {
    for (const digest of digests) {
      const prefix = `f/${digest}/` as const;
      for await (const page of scan(store, under(prefix))) {
        for (const { key } of page) this.#set(key.slice(prefix.length) as UserId, digest, true);
      }
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const change of early) change();
  }

  set(user: UserId, digest: UrlDigest, isSubscribed: boolean): void {
    if (this.#early) this.#early.push(() => this.#set(user, digest, isSubscribed));
    else this.#set(user, digest, isSubscribed);
  }

  #set(user: UserId, digest: UrlDigest, isSubscribed: boolean): void {
    const urls = this.#urls.get(user) ?? new Set();
    if (isSubscribed) this.#urls.set(user, urls.add(digest));
    else if (urls.delete(digest) && urls.size === 0) this.#urls.delete(user);
  }
}
