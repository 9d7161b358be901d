import { expect, it } from 'vitest';
import { logoHash } from '../../../src/domain/logo.ts';
import type { UserId } from '../../../src/domain/types.ts';
import { Memory } from '../../../src/storage/directory/memory.ts';
import { newPodcast } from '../../../src/storage/directory/podcast.ts';
import { urlDigest } from '../../../src/storage/keys.ts';
import { MemoryDatabase } from '../memory-store.ts';
import { episode, recordFeed, state } from '../suite/directory/samples.ts';
import { feed } from '../suite/samples.ts';
import { type Node, openNode } from './node.ts';

it('a logo is looked up without reading the podcasts that have not changed', () => {
  const memory = new Memory();
  let reads = 0;
  const put = (n: number, logo: string): void => {
    const podcast = newPodcast(feed(n), 0);
    const get = (): string => {
      reads += 1;
      return logo;
    };
    memory.put(Object.defineProperty(podcast, 'logoUrl', { get }), n);
  };
  const urlsWith = (logo: string): string[] => memory.withLogo(logoHash(logo)).map(({ url }) => url);
  for (let n = 1; n <= 100; n += 1) put(n, 'old');
  expect(urlsWith('old')).toHaveLength(100);
  reads = 0;
  put(1, 'new');
  expect(urlsWith('new')).toEqual([feed(1)]);
  expect(urlsWith('old')).toHaveLength(99);
  expect(reads).toBeLessThan(10);
});

it('accounts that come and go leave nothing in memory, and those that stay keep their subscriptions', () => {
  const memory = new Memory();
  const digest = urlDigest(feed(1));
  memory.subscribe('alice' as UserId, digest, 'private');
  for (let n = 0; n < 100; n += 1) {
    const user = `user-${n}` as UserId;
    memory.subscribe(user, digest, 'public');
    memory.subscribe(user, urlDigest(feed(2)), 'public');
    memory.subscribe(user, urlDigest(feed(2)), undefined);
    memory.subscribe(user, digest, undefined);
  }
  memory.subscribe('bob' as UserId, digest, 'public');
  expect(memory.accounts.length).toBe(2);
  expect([...memory.subscriptionsByDigest('alice' as UserId)]).toEqual([[digest, 'private']]);
  expect([...memory.subscriptionsByDigest('bob' as UserId)]).toEqual([[digest, 'public']]);
});

it('a result with one new episode rewrites few of the others, and one without any writes none', async () => {
  const node = await openNode(new MemoryDatabase(), false);
  await node.change('alice', { subscribed: [feed(1)] });
  const long = (n: number) => episode(n, { description: 'x'.repeat(1000) });
  const all = Array.from({ length: 900 }, (_, n) => long(n));
  await recordFeed(node, 1, {}, all);
  await recordFeed(node, 1, {}, [...all, long(900)]);
  await recordFeed(node, 1, {}, [...all, long(900)]);
  const sizes = node.commits.map(({ set = [] }) => set.reduce((sum, [, value]) => sum + value.length, 0));
  const [, first, second, third] = sizes;
  expect(first).toBeGreaterThan(900_000);
  expect(second).toBeLessThan(100_000);
  expect(third).toBeLessThan(1000);
  expect((await node.podcasts.episodes(feed(1), 2000)).length).toBe(901);
});

it('a result without news reads no episodes', async () => {
  const database = new MemoryDatabase();
  const before = await openNode(database);
  await before.change('alice', { subscribed: [feed(1)] });
  await recordFeed(before, 1, {}, [episode(1)]);
  const node = await openNode(database);
  node.store.calls = [];
  await node.podcasts.record(feed(1), { state: state(feed(1)) });
  expect(node.store.calls).toEqual(['commit']);
});

it('the newest episode is known after a start, and after a result with or without news, without reading episodes', async () => {
  const database = new MemoryDatabase();
  const titlesOf = async ({ podcasts }: Node): Promise<unknown[]> =>
    (await podcasts.newestOfEach([feed(1), feed(2), feed(9)])).map((each) => each?.title);
  const before = await openNode(database);
  await before.change('alice', { subscribed: [feed(1), feed(2)] });
  await recordFeed(before, 1, {}, [episode(1), episode(3), episode(2)]);
  const node = await openNode(database);
  node.store.calls = [];
  expect(await titlesOf(node)).toEqual(['Episode 3', undefined, undefined]);
  expect(node.store.calls).toEqual([]);
  await recordFeed(node, 1, {}, [episode(3, { title: 'Better' })]);
  await recordFeed(node, 2, {}, [episode(4)]);
  await node.podcasts.record(feed(1), { state: state(feed(1)) });
  node.store.calls = [];
  expect(await titlesOf(node)).toEqual(['Better', 'Episode 4', undefined]);
  expect(node.store.calls).toEqual([]);
});

it('feeds that wait to be added take no memory once nobody subscribes to them', () => {
  const memory = new Memory();
  for (const digest of [1, 2, 3].map(feed).map(urlDigest)) {
    memory.subscribe('alice' as UserId, digest, 'public');
    memory.subscribe('alice' as UserId, digest, undefined);
    expect(memory.address(digest)).toBeUndefined();
  }
  expect(memory.addresses).toHaveLength(1);
});

it('episodes with long URLs do not stay in memory for ever', async () => {
  const node = await openNode(new MemoryDatabase(), false);
  const numbersOfFeeds = [1, 2, 3, 4, 5];
  await node.change('alice', { subscribed: numbersOfFeeds.map(feed) });
  const url = (n: number): string => `https://podcasts.example/${n}/${'x'.repeat(8000)}`;
  const found = Array.from({ length: 1000 }, (_, n) => episode(n, { url: url(n), duration: 60 }));
  for (const n of numbersOfFeeds) await recordFeed(node, n, {}, found);
  for (const read of ['episodes', 'durations'] as const) {
    const isRead = async (n: number): Promise<boolean> => {
      node.store.calls = [];
      await node.podcasts[read](feed(n), 9);
      return node.store.calls.includes('list');
    };
    for (const n of numbersOfFeeds) await isRead(n);
    expect(await isRead(5), read).toBe(false);
    expect(await isRead(1), read).toBe(true);
  }
});
