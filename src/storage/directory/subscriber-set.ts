import type { UserId } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import { isPrivateEdge, under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';

/** How an account subscribes to a URL; undefined where it does not. */
export type Subscription = 'public' | 'private' | undefined;

/** Who subscribes to a podcast that has several URLs: each account counts once. */
export class SubscriberSet {
  readonly #urls = new Map<UserId, Map<UrlDigest, Subscription>>();
  /** What changed while the set was being read. */
  #early: (() => void)[] | undefined = [];

  get size(): number {
    return this.#urls.size;
  }

  /** Whether any account subscribes publicly: one that hides the podcast under any of its URLs does not. */
  get isPublic(): boolean {
    for (const urls of this.#urls.values()) if (![...urls.values()].includes('private')) return true;
    return false;
  }

  /** Reads all there is. Changes of this process that come meanwhile count once that is done. */
  async load(store: KeyValueStore, digests: readonly UrlDigest[]): Promise<void> {
    for (const digest of digests) {
      const prefix = `f/${digest}/` as const;
      for await (const page of scan(store, under(prefix))) {
        for (const edge of page) {
          this.#set(edge.key.slice(prefix.length) as UserId, digest, isPrivateEdge(edge) ? 'private' : 'public');
        }
      }
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const change of early) change();
  }

  set(user: UserId, digest: UrlDigest, subscription: Subscription): void {
    if (this.#early) this.#early.push(() => this.#set(user, digest, subscription));
    else this.#set(user, digest, subscription);
  }

  #set(user: UserId, digest: UrlDigest, subscription: Subscription): void {
    const urls = this.#urls.get(user) ?? new Map<UrlDigest, Subscription>();
    if (subscription) this.#urls.set(user, urls.set(digest, subscription));
    else if (urls.delete(digest) && urls.size === 0) this.#urls.delete(user);
  }
}
