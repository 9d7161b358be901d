import type { Address, StoredPodcast } from './podcast.ts';

/** An address with this many subscribers is not personal, even if it looks secret. */
const MIN_SUBSCRIBERS = 3;

/**
 * Whether a podcast is public: an account subscribes to it publicly (spec 2.9), its publisher does not block it, and
 * its address is not secret. The only place of this decision; `Address.isListed` caches it.
 */
export const isListable = ({ address, blocked }: StoredPodcast): boolean =>
  !blocked && (address.merged?.isPublic ?? address.count > address.privateCount) && !isSecret(address);

/** Whether an address looks personal and has few subscribers. */
export const isSecret = (address: Address): boolean => address.count < MIN_SUBSCRIBERS && address.looksSecret;
