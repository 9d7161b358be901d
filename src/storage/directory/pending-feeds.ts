import type { Url, UserId } from '../../domain/types.ts';
import { under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';

/** What the directory needs from the account stores. */
export interface DirectoryAccounts {
  /** All feeds that the lists and settings of accounts refer to. */
  namedFeeds(): AsyncIterable<readonly Url[]>;
  /** See `addPendingFeeds`. */
  addPendingFeeds(user: UserId, isPending: (digest: UrlDigest) => boolean): Promise<void>;
}

/** Adds the pending feeds of all accounts to the directory, each account up to its daily limit. */
export async function addAllPendingFeeds({ store, memory }: Directory, accounts: DirectoryAccounts): Promise<void> {
  const done = new Set<UserId>();
  // Feeds that are added disappear from the map.
  for (const [digest, { count }] of memory.pendingFeeds) {
    if (count === 0) continue;
    const prefix = `f/${digest}/` as const;
    for await (const page of scan(store, under(prefix))) {
      for (const { key } of page) {
        const user = key.slice(prefix.length) as UserId;
        if (done.has(user)) continue;
        done.add(user);
        await accounts.addPendingFeeds(user, (each) => memory.pendingFeeds.has(each));
      }
    }
  }
}
