import type { UserId } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import { isPrivateEdge, under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';

/** How an account subscribes to a URL; undefined if it does not. */
export type Subscription = 'public' | 'private' | undefined;

/** The subscribers of a podcast with several URLs: each account counts once. */
export class SubscriberSet {
  readonly #urls = new Map<UserId, Map<UrlDigest, Subscription>>();
  /** Changes made while the set is being loaded. */
  #queued: (() => void)[] | undefined = [];

  get size(): number {
    return this.#urls.size;
  }

  /** Whether any account subscribes publicly, that is, to none of the URLs privately. */
  get isPublic(): boolean {
    for (const urls of this.#urls.values()) if (![...urls.values()].includes('private')) return true;
    return false;
  }

  /** Loads the set, then applies the changes that this process made meanwhile. */
  async load(store: KeyValueStore, digests: readonly UrlDigest[]): Promise<void> {
    for (const digest of digests) {
      const prefix = `f/${digest}/` as const;
      for await (const page of scan(store, under(prefix))) {
        for (const edge of page) {
          this.#set(edge.key.slice(prefix.length) as UserId, digest, isPrivateEdge(edge) ? 'private' : 'public');
        }
      }
    }
    const queued = this.#queued ?? [];
    this.#queued = undefined;
    for (const change of queued) change();
  }

  set(user: UserId, digest: UrlDigest, subscription: Subscription): void {
    if (this.#queued) this.#queued.push(() => this.#set(user, digest, subscription));
    else this.#set(user, digest, subscription);
  }

  #set(user: UserId, digest: UrlDigest, subscription: Subscription): void {
    const urls = this.#urls.get(user) ?? new Map<UrlDigest, Subscription>();
    if (subscription) this.#urls.set(user, urls.set(digest, subscription));
    else if (urls.delete(digest) && urls.size === 0) this.#urls.delete(user);
  }
}
