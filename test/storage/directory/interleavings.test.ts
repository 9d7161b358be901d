import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/types.ts';
import { KeyedMutex } from '../../../src/mutex.ts';
import { prepareChange } from '../../../src/storage/directory/account-changes.ts';
import { isStorageError } from '../../../src/storage/errors.ts';
import { urlDigest } from '../../../src/storage/keys.ts';
import { createRandom, seed } from '../../seed.ts';
import { MemoryDatabase } from '../memory-store.ts';
import { episode, recordFeed, state } from '../suite/directory/samples.ts';
import { feed, feeds } from '../suite/samples.ts';
import { clock, DAY, HOUR, type Node, openNode } from './node.ts';

const FEEDS = feeds(5);
const USERS = ['alice', 'bob', 'carol'] as UserId[];
const RUNS = 60;
const STEPS = 25;

/** What a node answers about the podcasts. */
const read = async ({ podcasts, core }: Node): Promise<object> => ({
  found: await podcasts.find(FEEDS),
  listed: await podcasts.findListed(FEEDS),
  urls: await Promise.all(FEEDS.map((url) => podcasts.allUrls(url))),
  episodes: await Promise.all(FEEDS.map((url) => podcasts.episodes(url, 99))),
  top: await podcasts.top(9),
  tags: (await podcasts.topTags(9)).map(({ tag, usage }) => [tag, usage]),
  search: await podcasts.search('title 1', 9),
  subscriptions: USERS.map((user) => core.directory.memory.subscriptionsByDigest(user)),
});

/** Calls of two nodes run at the same time, and their stores answer late. */
async function run(from: number): Promise<void> {
  const random = createRandom(from);
  const isLikely = (probability: number): boolean => random(100) < 100 * probability;
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
  const database = new MemoryDatabase();
  const nodes = [await openNode(database), await openNode(database)];
  const delay = async (): Promise<void> => {
    while (isLikely(0.4)) await (isLikely(0.2) ? setImmediate() : undefined);
  };
  for (const { store } of nodes) {
    const { commit } = store;
    store.before = delay;
    store.commit = async (batch) => {
      const version = await commit(batch);
      await delay();
      return version;
    };
  }
  const mutex = new KeyedMutex<UserId>();
  /** The commits of one user follow one another, but a node may apply its own after another node has committed. */
  const change = async ({ core, store }: Node, user: UserId): Promise<void> => {
    const apply = await mutex.run(user, async () => {
      const subscribed = FEEDS.filter(() => isLikely(0.3));
      const others = FEEDS.filter((url) => !subscribed.includes(url));
      const prepared = await prepareChange(core.directory, user, {
        subscribed,
        unsubscribed: others.filter(() => isLikely(0.4)).map(urlDigest),
        isPrivate: () => isLikely(0.3),
        newFeeds: pick([1, Infinity]),
      });
      await store.commit({ set: prepared.set, delete: prepared.delete });
      return prepared.apply;
    });
    await apply();
  };
  const record = async (node: Node): Promise<void> => {
    const n = pick([1, 2, 3, 4, 5]);
    const podcast = {
      title: pick(['Title 1', 'Title 2']),
      tags: pick([[], ['News'], ['Tech']]),
      blocked: isLikely(0.1),
    };
    const found = [1, 2, 3].filter(() => isLikely(0.5)).map((at) => episode(at));
    await recordFeed(node, n, podcast, found, {
      state: state(feed(n), { fetchedAt: clock.now }),
      ...(isLikely(0.2) && { movedTo: pick(FEEDS) }),
    }).catch((error: unknown) => {
      if (!isStorageError(error, 'missing')) throw error;
    });
  };
  const steps: ((node: Node, user: UserId) => Promise<void>)[] = [
    change,
    change,
    record,
    record,
    (node) => node.refresh(),
    (node) => node.podcasts.removeUnused(),
  ];
  let running: Promise<void>[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    running.push(pick(steps)(pick(nodes), pick(USERS)));
    if (isLikely(0.5)) await setImmediate();
    if (!isLikely(0.1)) continue;
    await Promise.all(running);
    running = [];
    clock.now += pick([1, 300, 2 * HOUR, 31 * DAY]);
    await Promise.all(nodes.map((node) => node.refresh())); // each node does so every few seconds
  }
  await Promise.all(running);
  for (const node of nodes) await node.refresh();
  const expected = await read(await openNode(database));
  for (const node of nodes) expect(await read(node), `seed ${from}`).toEqual(expected);
}

it('two nodes agree with one that starts later, however their changes interleave', async () => {
  for (let n = 0; n < RUNS; n += 1) await run(seed + n);
});
