import type { Address, StoredPodcast } from './podcast.ts';

/** What so many accounts subscribe to is nobody's personal address, whatever it looks like. */
const SHARED_BY = 3;

/**
 * Whether everybody may be told of a podcast: some account subscribes to it publicly (spec 2.9), its publisher does not
 * mind, and its address is no secret. Decided here only; `Address.isListed` holds the result.
 */
export const isListable = ({ address, blocked }: StoredPodcast): boolean =>
  !blocked && (address.merged?.isPublic ?? address.count > address.privateCount) && !isSecret(address);

/** Whether an address looks as if it were made for one person, and nobody has shown otherwise. */
export const isSecret = (address: Address): boolean => address.count < SHARED_BY && address.looksSecret;
