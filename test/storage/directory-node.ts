import { onTestFinished } from 'vitest';
import type { Batch, KeyValueStore } from '../../src/storage/contract.ts';
import type { DirectoryAccounts } from '../../src/storage/directory/podcast-store.ts';
import { openDirectory, type OpenDirectory } from '../../src/storage/directory/open.ts';
import type { AccountChange } from '../../src/storage/directory/account-changes.ts';
import type { UserId } from '../../src/domain/types.ts';
import { type Faults, MemoryDatabase, openMemoryStore } from './memory-store.ts';
import { episodes, info, state } from './suite/directory/samples.ts';
import { feed } from './suite/samples.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;
export const START = 1_800_000_000;

/** One of several processes on one database. It is closed after the test. */
export interface Node extends OpenDirectory {
  store: KeyValueStore & Faults;
  commits: Batch[];
  refresh(): Promise<void>;
  change(user: string, change: AccountChange): Promise<void>;
}

export const clock = { now: START };

export const NO_ACCOUNTS: DirectoryAccounts = {
  async *namedFeeds() {},
  recountSubscribers: async () => 0,
  addPendingFeeds: async () => undefined,
};

export async function openNode(database: MemoryDatabase, accounts = NO_ACCOUNTS, isShared = true): Promise<Node> {
  const store = openMemoryStore(database, isShared);
  const directory = await openDirectory(store, { now: () => clock.now, log: () => undefined }, accounts);
  const commits: Batch[] = [];
  store.before = (call, batch) => void (call === 'commit' && commits.push(batch!));
  const change = async (user: string, accountChange: AccountChange): Promise<void> => {
    const { apply, set, delete: deleted } = await directory.writer.prepare(user as UserId, accountChange);
    await store.commit({ set, delete: deleted });
    await apply();
  };
  const node = { ...directory, refresh: directory.writer.refresh, store, commits, change };
  onTestFinished(async () => {
    await node.close();
    clock.now = START;
  });
  return node;
}

export const openTwo = async (): Promise<[Node, Node, MemoryDatabase]> => {
  const database = new MemoryDatabase();
  return [await openNode(database), await openNode(database), database];
};

export const recordFeed = (node: Node, n: number | string, found = episodes(0), fields = {}): Promise<void> =>
  node.podcasts.record(feed(n), { state: state(feed(n)), content: { podcast: info(), episodes: found }, ...fields });
