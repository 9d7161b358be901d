import { expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/types.ts';
import { createUserStore } from '../../../src/storage/accounts/users.ts';
import { prepareChange } from '../../../src/storage/directory/account-changes.ts';
import { exportDirectory } from '../../../src/storage/directory/transfer.ts';
import { urlDigest } from '../../../src/storage/keys.ts';
import { createSubscriptionStore } from '../../../src/storage/sync/subscriptions.ts';
import { MemoryDatabase } from '../memory-store.ts';
import { START } from '../suite/bench.ts';
import { episode, episodeNumbers, info, recordFeed, state } from '../suite/directory/samples.ts';
import { add, feed, feeds, numbersOf } from '../suite/samples.ts';
import { beforeAnswer, clock, HOUR, type Node, openNode, openTwo } from './node.ts';

it('other nodes see a new podcast after a refresh', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await recordFeed(a, 1, { title: 'Linux', tags: ['News'] }, [episode(1)]);
  expect(await b.podcasts.find([feed(1)])).toEqual([undefined]);
  await b.refresh();
  const [found] = await b.podcasts.find([feed(1)]);
  expect(found).toMatchObject({ title: 'Linux', subscribers: 1 });
  expect(await b.podcasts.search('linux', 9)).toEqual([found]);
  expect(await b.podcasts.top(9)).toMatchObject([{ url: feed(1) }]);
  expect(await b.podcasts.topTags(9)).toEqual([{ tag: 'news', title: 'News', usage: 1 }]);
  expect(await episodeNumbers(b, 1)).toEqual([1]);
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
  await recordFeed(b, 1, {}, [episode(1)]);
  expect(await episodeNumbers(b, 1)).toEqual([1]);
});

it('results of one feed on two nodes keep the episodes of both', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await b.refresh();
  await Promise.all([recordFeed(a, 1, {}, [episode(1)]), recordFeed(b, 1, {}, [episode(2)])]);
  await recordFeed(a, 1, {}, [episode(3)]);
  await recordFeed(b, 1, {}, [episode(4)]);
  expect(await episodeNumbers(b, 1)).toEqual([4, 3, 2, 1]);
  await a.refresh();
  expect(await episodeNumbers(a, 1)).toEqual([4, 3, 2, 1]);
});

it('a mark does not pass episodes that another node has stored while this one was paused', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await b.refresh();
  await recordFeed(a, 1, {}, [episode(1)]);
  clock.now += 60;
  const { items, mark } = await b.podcasts.episodesSince([feed(1)], 0, 9);
  await b.refresh();
  const { items: later } = await b.podcasts.episodesSince([feed(1)], mark - 30, 9); // see `UserStore.stableUntil`
  expect([...items, ...later]).toHaveLength(1);
});

it('an answer that is late does not hide what another node has stored meanwhile', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await b.refresh();
  const { commit } = a.store;
  a.store.commit = async (batch) => {
    const version = await commit(batch);
    a.store.commit = commit;
    await recordFeed(b, 1, {}, [episode(2)]);
    await a.refresh();
    return version;
  };
  await recordFeed(a, 1, {}, [episode(1)]);
  await a.refresh();
  expect(await episodeNumbers(a, 1)).toEqual([2, 1]);
});

it('a refresh that reads a podcast does not hide what the node stores meanwhile', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await b.refresh();
  await recordFeed(a, 1, { title: 'Old' });
  beforeAnswer(b, 'podcast', () => recordFeed(b, 1, { title: 'New' }));
  await b.refresh();
  expect(await b.podcasts.find([feed(1)])).toMatchObject([{ title: 'New' }]);
});

it('two feeds that move to the same address at the same time are one podcast', async () => {
  const [node, , database] = await openTwo();
  await node.change('alice', { subscribed: feeds(2) });
  const move = (n: number): Promise<void> =>
    recordFeed(node, n, { tags: [`tag ${n}`] }, [episode(n)], { movedTo: feed('new') });
  node.store.before = async (call) => {
    if (call !== 'commit') return;
    node.store.before = undefined;
    await move(2);
  };
  await move(1);
  for (const each of [node, await openNode(database)]) {
    const urls = (await each.podcasts.find(feeds(2))).map((podcast) => podcast?.url);
    expect(urls).toEqual([feed('new'), feed('new')]);
    expect((await episodeNumbers(each, 1)).toSorted()).toEqual([1, 2]);
  }
});

it('a feed that moved on one node gets the episodes that another node reads at its old URL', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed('old')] });
  await b.refresh();
  await b.change('bob', { subscribed: [feed('new')] });
  await recordFeed(a, 'old', {}, [episode(1)], { movedTo: feed('new') });
  await recordFeed(b, 'old', {}, [episode(2)]);
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.find([feed('old')])).toMatchObject([{ url: feed('new'), subscribers: 2 }]);
    expect(await episodeNumbers(node, 'new')).toEqual([2, 1]);
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
  await recordFeed(a, 1, {}, [], { state: state(feed(1), { nextAt: clock.now }) });
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
  await recordFeed(a, 1, { tags: ['NEWS'] });
  await recordFeed(b, 2, { tags: ['news'] });
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.topTags(9)).toEqual([{ tag: 'news', title: 'NEWS', usage: 2 }]);
  }
});

it('a tag that was removed has its new title on all nodes', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: feeds(2) });
  const tag = (node: Node, n: number, ...tags: string[]): Promise<void> => recordFeed(node, n, { tags });
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

it('a tag that another node uses again keeps its title', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: feeds(2) });
  await recordFeed(a, 1, { tags: ['NEWS'] });
  await recordFeed(a, 1);
  await b.refresh();
  await recordFeed(b, 2, { tags: ['news'] });
  await a.podcasts.removeUnused();
  expect(await (await openNode(database)).podcasts.topTags(9)).toMatchObject([{ title: 'NEWS' }]);
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

it.each([
  ['soon', 60],
  ['when changes of that time may have been removed', HOUR - 60],
])('a change by a clock that is behind is visible after the next refresh, %s', async (_, after) => {
  const [a, b] = await openTwo();
  await b.refresh();
  clock.now -= 120;
  await a.change('alice', { subscribed: [feed(1)] });
  clock.now += 120 + after;
  await a.refresh();
  await b.refresh();
  expect(await b.podcasts.find([feed(1)])).toMatchObject([{ subscribers: 1 }]);
});

it('a refresh reads each change once', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await a.podcasts.rebuildToplist();
  await b.refresh();
  b.store.calls = [];
  await b.refresh();
  expect(b.store.calls).toEqual(['list']);
});

it('a late answer and a refresh that fails do not bring back a subscription that ended on another node', async () => {
  const [a, b] = await openTwo();
  const {
    apply,
    set,
    delete: deleted,
  } = await prepareChange(a.core.directory, 'alice' as UserId, { subscribed: [feed(1)], newFeeds: 1 });
  await a.store.commit({ set, delete: deleted });
  await b.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  await a.refresh();
  await apply();
  a.store.before = () => {
    a.store.before = undefined;
    throw new Error('no connection');
  };
  await expect(a.refresh()).rejects.toThrow('no connection');
  await a.refresh();
  expect(await a.podcasts.find([feed(1)])).toMatchObject([{ subscribers: 0 }]);
});

it('a change during a refresh after a long absence is visible at once, and stays', async () => {
  let calls = 0;
  for (let at = 1; at <= calls + 1; at += 1) {
    const node = await openNode(new MemoryDatabase());
    await node.change('alice', { subscribed: [feed(1)] });
    await recordFeed(node, 1, {}, [], { movedTo: feed(2) });
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
  await a.change('alice', { subscribed: [feed(1), feed(2)], isPrivate: (url) => url === feed(2) });
  await b.refresh();
  expect(numbersOf(await b.podcasts.top(9))).toEqual([1]);
  await a.change('alice', { subscribed: [feed(1), feed(2)], isPrivate: (url) => url === feed(1) });
  await b.refresh();
  for (const node of [a, b]) expect(numbersOf(await node.podcasts.top(9))).toEqual([2]);
  await b.change('alice', { unsubscribed: [feed(1), feed(2)].map(urlDigest) });
  await a.refresh();
  for (const node of [a, b]) expect(await node.podcasts.top(9)).toEqual([]);
  expect(await a.podcasts.rebuildToplist()).toEqual({ podcasts: 0, corrected: 0 });
});
