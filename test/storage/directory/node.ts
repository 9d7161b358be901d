import { onTestFinished } from 'vitest';
import type { UserId } from '../../../src/domain/types.ts';
import type { Batch, KeyValueStore } from '../../../src/storage/contract.ts';
import type { Core } from '../../../src/storage/core.ts';
import { type AccountChange, prepareChange } from '../../../src/storage/directory/account-changes.ts';
import { podcastKey, subscriptionKey } from '../../../src/storage/directory/keys.ts';
import { createPodcastStore } from '../../../src/storage/directory/podcast-store.ts';
import { urlDigest } from '../../../src/storage/keys.ts';
import { openCore } from '../../../src/storage/storage.ts';
import type { PodcastStore } from '../../../src/storage/stores.ts';
import { type Faults, MemoryDatabase, openMemoryStore } from '../memory-store.ts';
import { OVERLAP, START } from '../suite/bench.ts';
import { feed } from '../suite/samples.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;

/** The directory of one of several processes on one database. It is closed after the test. */
export interface Node {
  core: Core;
  podcasts: PodcastStore;
  store: KeyValueStore & Faults;
  commits: Batch[];
  refresh(): Promise<void>;
  /** Changes what the directory stores of an account, which need not exist. */
  change(user: string, change: AccountChange): Promise<void>;
}

export const clock = { now: START };

export async function openNode(database: MemoryDatabase, isShared = true): Promise<Node> {
  const store = openMemoryStore(database, isShared);
  const context = { dataDir: '', now: () => clock.now, overlap: OVERLAP, log: () => undefined };
  const core = await openCore(store, context);
  const { directory, refresh } = core;
  const commits: Batch[] = [];
  store.before = (call, batch) => void (call === 'commit' && commits.push(batch!));
  const change = async (user: string, accountChange: AccountChange): Promise<void> => {
    const {
      apply,
      set,
      delete: deleted,
    } = await prepareChange(directory, user as UserId, {
      newFeeds: Infinity,
      ...accountChange,
    });
    await store.commit({ set, delete: deleted });
    await apply();
  };
  onTestFinished(async () => {
    directory.memory.search.close();
    await refresh.close();
    clock.now = START;
  });
  return { core, podcasts: createPodcastStore(core), store, commits, refresh: () => refresh.run(), change };
}

export const openTwo = async (): Promise<[Node, Node, MemoryDatabase]> => {
  const database = new MemoryDatabase();
  return [await openNode(database), await openNode(database), database];
};

/**
 * Runs a step once, when the store of a node has read a document of feed 1, or the subscription of alice to it, and the
 * node has no answer yet.
 */
export function beforeAnswer({ store }: Node, read: 'podcast' | 'url' | 'alice', step: () => Promise<void>): void {
  const digest = urlDigest(feed(1));
  const key = read === 'alice' ? subscriptionKey(digest, read as UserId) : podcastKey(digest, read);
  const { get } = store;
  store.get = async (keys) => {
    const found = await get(keys);
    if (keys.includes(key)) {
      store.get = get;
      await step();
    }
    return found;
  };
}
