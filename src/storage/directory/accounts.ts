import type { Url, UserId } from '../../domain/types.ts';
import type { UrlDigest } from '../keys.ts';

/** What the directory needs of the accounts. */
export interface DirectoryAccounts {
  /** All feeds that accounts name in lists and settings. */
  namedFeeds(): AsyncIterable<readonly Url[]>;
  /** See `bringWaiting`. */
  bringWaiting(user: UserId, isWaiting: (digest: UrlDigest) => boolean): Promise<void>;
}
