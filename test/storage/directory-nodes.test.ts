import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { createUserStore } from '../../src/storage/accounts/users.ts';
import { exportDirectory } from '../../src/storage/directory/transfer.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { urlDigest } from '../../src/storage/keys.ts';
import { createSubscriptionStore } from '../../src/storage/sync/subscriptions.ts';
import { clock, DAY, HOUR, type Node, openNode, openTwo, recordFeed, START } from './directory-node.ts';
import { MemoryDatabase } from './memory-store.ts';
import { episode, info, state } from './suite/directory/samples.ts';
import { add, feed, feeds, numbersOf } from './suite/samples.ts';

const numbers = async (node: Node, n: number | string): Promise<number[]> =>
  numbersOf(await node.podcasts.episodes(feed(n), 9));

it('other nodes see a new podcast after a refresh', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await recordFeed(a, 1, [episode(1)], {
    content: { podcast: info({ title: 'Linux', tags: ['News'] }), episodes: [episode(1)] },
  });
  expect(await b.podcasts.find([feed(1)])).toEqual([undefined]);
  await b.refresh();
  const [found] = await b.podcasts.find([feed(1)]);
  expect(found).toMatchObject({ title: 'Linux', subscribers: 1 });
  expect(await b.podcasts.search('linux', 9)).toEqual([found]);
  expect(await b.podcasts.top(9)).toMatchObject([{ url: feed(1) }]);
  expect(await b.podcasts.topTags(9)).toEqual([{ tag: 'news', title: 'News', usage: 1 }]);
  expect(await numbers(b, 1)).toEqual([1]);
  await b.change('bob', { subscribed: [feed(1)] });
  await a.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.find([feed(1)])).toMatchObject([{ subscribers: 1 }]);
  }
});

it('the result of a feed that only another node knows is stored', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await recordFeed(b, 1, [episode(1)]);
  expect(await numbers(b, 1)).toEqual([1]);
});

it('results of one feed on two nodes keep the episodes of both', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await b.refresh();
  await Promise.all([recordFeed(a, 1, [episode(1)]), recordFeed(b, 1, [episode(2)])]);
  await recordFeed(a, 1, [episode(3)]);
  await recordFeed(b, 1, [episode(4)]);
  expect(await numbers(b, 1)).toEqual([4, 3, 2, 1]);
  await a.refresh();
  expect(await numbers(a, 1)).toEqual([4, 3, 2, 1]);
});

it('an answer that is late does not hide what another node has stored meanwhile', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await b.refresh();
  const { commit } = a.store;
  a.store.commit = async (batch) => {
    const version = await commit(batch);
    a.store.commit = commit;
    await recordFeed(b, 1, [episode(2)]);
    await a.refresh();
    return version;
  };
  await recordFeed(a, 1, [episode(1)]);
  await a.refresh();
  expect(await numbers(a, 1)).toEqual([2, 1]);
});

it('two feeds that move to the same address at the same time are one podcast', async () => {
  const [node, , database] = await openTwo();
  await node.change('alice', { subscribed: feeds(2) });
  const move = (n: number): Promise<void> =>
    recordFeed(node, n, [], {
      movedTo: feed('new'),
      content: { podcast: info({ tags: [`tag ${n}`] }), episodes: [episode(n)] },
    });
  node.store.before = async (call) => {
    if (call !== 'commit') return;
    node.store.before = undefined;
    await move(2);
  };
  await move(1);
  for (const each of [node, await openNode(database)]) {
    const urls = (await each.podcasts.find(feeds(2))).map((podcast) => podcast?.url);
    expect(urls).toEqual([feed('new'), feed('new')]);
    expect((await numbers(each, 1)).toSorted()).toEqual([1, 2]);
  }
});

it('a feed that moved on one node gets the episodes that another node reads at its old URL', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed('old')] });
  await b.refresh();
  await b.change('bob', { subscribed: [feed('new')] });
  await recordFeed(a, 'old', [episode(1)], { movedTo: feed('new') });
  await recordFeed(b, 'old', [episode(2)]);
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.find([feed('old')])).toMatchObject([{ url: feed('new'), subscribers: 2 }]);
    expect(await numbers(node, 'new')).toEqual([2, 1]);
  }
  await b.change('bob', { subscribed: [feed('old')], unsubscribed: [feed('new')].map(urlDigest) });
  await a.refresh();
  expect(await a.podcasts.find([feed('new')])).toMatchObject([{ subscribers: 2 }]);
});

it('a due feed is leased to one node, and to another one when the lease has expired', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: feeds(5) });
  await b.refresh();
  const claims = await Promise.all([a, b, a, b].map((node) => node.podcasts.claimDue(2, 60)));
  expect(numbersOf(claims.flat()).toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(await b.podcasts.claimDue(9, 60)).toEqual([]);
  await recordFeed(a, 1, [], { state: state(feed(1), { nextAt: clock.now }) });
  await b.refresh();
  expect(numbersOf(await b.podcasts.claimDue(9, 60))).toEqual([1]);
  clock.now += 60;
  expect(numbersOf(await a.podcasts.claimDue(9, 60))).toEqual([1, 2, 3, 4, 5]);
});

it('recommendations follow what other nodes store', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await a.change('bob', { subscribed: [feed(1), feed(2)] });
  await b.refresh();
  const suggested = async (): Promise<number[]> => numbersOf(await b.podcasts.recommendations('alice' as UserId, 1));
  expect(await suggested()).toEqual([2]);
  await a.change('bob', { subscribed: [feed(3)], unsubscribed: [feed(2)].map(urlDigest) });
  await b.refresh();
  expect(await suggested()).toEqual([3]);
  await a.change('alice', { subscribed: [feed(3)] });
  expect(await suggested()).not.toContain(3);
});

it('a tag keeps its first title of any node', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: feeds(2) });
  await b.refresh();
  await recordFeed(a, 1, [], { content: { podcast: info({ tags: ['NEWS'] }), episodes: [] } });
  await recordFeed(b, 2, [], { content: { podcast: info({ tags: ['news'] }), episodes: [] } });
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.topTags(9)).toEqual([{ tag: 'news', title: 'NEWS', usage: 2 }]);
  }
});

it('a tag that was removed has its new title on all nodes', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: feeds(2) });
  const tag = (node: Node, n: number, ...tags: string[]): Promise<void> =>
    recordFeed(node, n, [], { content: { podcast: info({ tags }), episodes: [] } });
  await tag(a, 1, 'NEWS', 'The Arts');
  await b.refresh();
  await tag(a, 1);
  await a.podcasts.removeUnused();
  await b.refresh();
  await tag(a, 1, 'News');
  await tag(b, 2, 'The arts');
  for (const node of [a, b, await openNode(database)]) {
    await node.refresh();
    expect((await node.podcasts.topTags(9)).map(({ title }) => title)).toEqual(['News', 'The arts']);
  }
});

it('one toplist per day is stored, by any node', async () => {
  const [a, b] = await openTwo();
  const alice = await createUserStore(a.core).create({ name: 'alice', passwordHash: '' });
  await createSubscriptionStore(a.core).apply(alice.id, 'phone', add(feed(1)));
  await a.podcasts.rebuildToplist();
  await b.refresh();
  clock.now += 60;
  await b.podcasts.rebuildToplist();
  clock.now += 7 * 24 * HOUR;
  await b.refresh();
  expect(await b.podcasts.top(9)).toMatchObject([{ positionLastWeek: 1 }]);
  const records = [];
  for await (const page of exportDirectory(b.core.directory)) records.push(...page);
  expect(records.filter(({ kind }) => kind === 'toplist')).toEqual([{ kind: 'toplist', at: START, urls: [feed(1)] }]);
});

it('change notifications are removed, and a node that missed them reloads everything', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  clock.now += 2 * HOUR;
  await a.refresh();
  expect([...database.entries.keys()].filter((key) => key.startsWith('d/'))).toEqual([]);
  await b.refresh();
  expect(await b.podcasts.find([feed(1)])).toMatchObject([{ subscribers: 1 }]);
});

it('a result whose answer was lost is stored, and so is the next one', async () => {
  const database = new MemoryDatabase();
  const node = await openNode(database, false);
  await node.change('alice', { subscribed: [feed(1)] });
  node.store.lostAnswers = 1;
  await expect(recordFeed(node, 1, [episode(1)])).rejects.toThrow(StorageError);
  await recordFeed(node, 1, [episode(2)]);
  expect(await numbers(node, 1)).toEqual([2, 1]);
});

it('a result with one new episode rewrites few of the others, and one without any writes none', async () => {
  const node = await openNode(new MemoryDatabase(), false);
  await node.change('alice', { subscribed: [feed(1)] });
  const long = (n: number) => episode(n, { description: 'x'.repeat(1000) });
  const all = Array.from({ length: 900 }, (_, n) => long(n));
  await recordFeed(node, 1, all);
  await recordFeed(node, 1, [...all, long(900)]);
  await recordFeed(node, 1, [...all, long(900)]);
  const sizes = node.commits.map(({ set = [] }) => set.reduce((sum, [, value]) => sum + value.length, 0));
  const [, first, second, third] = sizes;
  expect(first).toBeGreaterThan(900_000);
  expect(second).toBeLessThan(100_000);
  expect(third).toBeLessThan(1000);
  expect((await node.podcasts.episodes(feed(1), 2000)).length).toBe(901);
});

it('episodes with long URLs do not stay in memory without end', async () => {
  const node = await openNode(new MemoryDatabase(), false);
  const numbersOfFeeds = [1, 2, 3, 4, 5];
  await node.change('alice', { subscribed: numbersOfFeeds.map(feed) });
  const url = (n: number): string => `https://podcasts.example/${n}/${'x'.repeat(8000)}`;
  const found = Array.from({ length: 1000 }, (_, n) => episode(n, { url: url(n), duration: 60 }));
  for (const n of numbersOfFeeds) await recordFeed(node, n, found);
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

/** A podcast that alice subscribed to, unused for 31 days, known to both nodes. */
async function openUnused(): Promise<[Node, Node, MemoryDatabase]> {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await recordFeed(a, 1, [episode(1)]);
  await a.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  await b.refresh();
  await b.podcasts.removeUnused();
  clock.now += 31 * DAY;
  await Promise.all([a.refresh(), b.refresh()]);
  return [a, b, database];
}

it('an unused podcast is removed once, and disappears from all nodes', async () => {
  const [a, b, database] = await openUnused();
  await Promise.all([a.podcasts.removeUnused(), b.podcasts.removeUnused()]);
  const left = [...database.entries.keys()].filter((key) => /^[pef]\//.test(key));
  expect(left).toEqual([]);
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.find([feed(1)])).toEqual([undefined]);
  }
});

it('a change during a refresh after a long absence is visible at once, and stays', async () => {
  let calls = 0;
  for (let at = 1; at <= calls + 1; at += 1) {
    const node = await openNode(new MemoryDatabase());
    await node.change('alice', { subscribed: [feed(1)] });
    await recordFeed(node, 1, [], { movedTo: feed(2) });
    clock.now += 2 * HOUR;
    const titles: (string | undefined)[] = [];
    const readTitle = async (): Promise<void> => void titles.push((await node.podcasts.find([feed(2)]))[0]?.title);
    let isChanging = false;
    calls = 0;
    node.store.before = async () => {
      if (isChanging) return;
      calls += 1;
      if (calls > at) await readTitle();
      if (calls !== at) return;
      isChanging = true;
      const content = { podcast: info({ title: 'New' }), episodes: [] };
      await node.podcasts.record(feed(2), { state: state(feed(2)), content });
      isChanging = false;
    };
    await node.refresh();
    if (calls >= at) await readTitle();
    expect(new Set(titles)).toEqual(new Set(calls >= at ? ['New'] : []));
  }
});

it('a podcast that was removed while a node was disconnected disappears from it afterwards', async () => {
  const [a, b] = await openUnused();
  await a.podcasts.removeUnused();
  clock.now += 2 * HOUR;
  await b.refresh();
  expect(await b.podcasts.find([feed(1)])).toEqual([undefined]);
});

it.each(['before', 'after'])('a user who subscribes %s a podcast is removed on another node keeps it', async (when) => {
  const [a, b, database] = await openUnused();
  const subscribe = (): Promise<void> => b.change('bob', { subscribed: [feed(1)] });
  let isDone = when === 'after';
  a.store.before = async (call, batch) => {
    if (isDone || call !== 'commit' || !batch?.delete?.length) return;
    isDone = true;
    await subscribe();
  };
  await a.podcasts.removeUnused();
  if (when === 'after') await subscribe();
  for (const node of [a, b, await openNode(database)]) {
    await node.refresh();
    expect(await node.podcasts.find([feed(1)])).toMatchObject([{ url: feed(1), subscribers: 1 }]);
  }
  await recordFeed(a, 1, [episode(2)]);
  await b.refresh();
  expect(await numbers(b, 1)).toContain(2);
});

it('pending feeds of one node are added by another one, and count all subscribers', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: feeds(3), newFeeds: 1 });
  await b.refresh();
  expect((await b.podcasts.find(feeds(3))).map((podcast) => podcast?.subscribers)).toEqual([1, undefined, undefined]);
  await b.change('bob', { subscribed: feeds(3) });
  for (const node of [a, b, await openNode(database)]) {
    await node.refresh();
    expect((await node.podcasts.find(feeds(3))).map((podcast) => podcast?.subscribers)).toEqual([2, 2, 2]);
  }
});

it('feeds that become private or public are unlisted or listed on other nodes after a refresh', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1), feed(2)], private: new Set([feed(2)]) });
  await b.refresh();
  expect(numbersOf(await b.podcasts.top(9))).toEqual([1]);
  await a.change('alice', { subscribed: [feed(1), feed(2)], private: new Set([feed(1)]) });
  await b.refresh();
  for (const node of [a, b]) expect(numbersOf(await node.podcasts.top(9))).toEqual([2]);
  await b.change('alice', { unsubscribed: [feed(1), feed(2)].map(urlDigest) });
  await a.refresh();
  for (const node of [a, b]) expect(await node.podcasts.top(9)).toEqual([]);
  expect(await a.podcasts.rebuildToplist()).toEqual({ podcasts: 0, corrected: 0 });
});
