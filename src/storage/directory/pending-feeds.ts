import type { UserId } from '../../domain/types.ts';
import { under } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';
import type { DirectoryAccounts } from './accounts.ts';

/** Adds the pending feeds of all accounts to the directory, each account up to its daily limit. */
export async function addAllPendingFeeds(
  { store, memory }: Directory,
  bring: DirectoryAccounts['addPendingFeeds'],
): Promise<void> {
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
        await bring(user, (each) => memory.pendingFeeds.has(each));
      }
    }
  }
}
