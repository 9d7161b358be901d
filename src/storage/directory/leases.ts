import type { Seconds } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import type { LeaseDocument } from './documents.ts';
import { podcastKey } from './keys.ts';
import type { StoredPodcast } from './podcast.ts';

/* Leases on feeds that are being fetched. Stored if the store is shared, as other processes fetch feeds, too. */

export const isLeased = ({ address }: StoredPodcast, now: Seconds): boolean => (address.lease?.until ?? 0) > now;

/** Takes effect in this process at once. False if another process holds the lease or has changed the podcast. */
export async function claim(
  store: KeyValueStore,
  { address, version }: StoredPodcast,
  until: Seconds,
): Promise<boolean> {
  const before = address.lease;
  address.lease = { until, version: before?.version ?? 0 };
  if (!store.isShared) return true;
  const key = podcastKey(address.digest, 'lease');
  try {
    const claimed = await store.commit({
      check: [
        [podcastKey(address.digest, 'podcast'), version],
        [key, before?.version ?? 0],
      ],
      set: [[key, JSON.stringify({ until } satisfies LeaseDocument)]],
    });
    if (claimed !== undefined) address.lease = { until, version: claimed };
    return claimed !== undefined;
  } catch (error) {
    address.lease = before;
    throw error;
  }
}
