import type { Url, UserId } from '../../domain/types.ts';
import type { UrlDigest } from '../keys.ts';

/** What the directory needs from the account stores. */
export interface DirectoryAccounts {
  /** All feeds that the lists and settings of accounts refer to. */
  namedFeeds(): AsyncIterable<readonly Url[]>;
  /** See `addPendingFeeds`. */
  addPendingFeeds(user: UserId, isPending: (digest: UrlDigest) => boolean): Promise<void>;
}
