import type { Seconds } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import { podcastKey, type UrlDigest } from '../keys.ts';
import type { Lease, LeaseDocument } from './documents.ts';
import type { StoredPodcast } from './podcast.ts';

/** Leases on feeds that are being fetched. Stored if the store is shared, as other processes fetch feeds too. */
export class Leases {
  readonly #store: KeyValueStore;
  readonly #held = new Map<UrlDigest, Lease>();

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  isHeld({ address }: StoredPodcast, now: Seconds): boolean {
    return (this.#held.get(address.digest)?.until ?? 0) > now;
  }

  /** Takes effect in this process at once. False if another process holds the lease or has changed the podcast. */
  async claim({ address: { digest }, version }: StoredPodcast, until: Seconds): Promise<boolean> {
    const before = this.#held.get(digest);
    this.#held.set(digest, { until, version: before?.version ?? 0 });
    if (!this.#store.isShared) return true;
    const key = podcastKey(digest, 'lease');
    try {
      const claimed = await this.#store.commit({
        check: [
          [podcastKey(digest, 'podcast'), version],
          [key, before?.version ?? 0],
        ],
        set: [[key, JSON.stringify({ until } satisfies LeaseDocument)]],
      });
      if (claimed !== undefined) this.#held.set(digest, { until, version: claimed });
      return claimed !== undefined;
    } catch (error) {
      this.set(digest, before);
      throw error;
    }
  }

  /** Sets what was read from the store. */
  set(digest: UrlDigest, lease: Lease | undefined): void {
    if (lease) this.#held.set(digest, lease);
    else this.#held.delete(digest);
  }

  clear(): void {
    this.#held.clear();
  }
}
