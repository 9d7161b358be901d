import { expect, it } from 'vitest';
import { urlDigest } from '../../../src/storage/keys.ts';
import { MemoryDatabase } from '../memory-store.ts';
import { episode, episodeNumbers, recordFeed } from '../suite/directory/samples.ts';
import { feed } from '../suite/samples.ts';
import { beforeAnswer, clock, DAY, HOUR, type Node, openNode, openTwo } from './node.ts';

/** A podcast that alice subscribed to, unused for 31 days, known to both nodes. */
async function openUnused(): Promise<[Node, Node, MemoryDatabase]> {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await recordFeed(a, 1, {}, [episode(1)]);
  await a.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  await b.refresh();
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

it('an unused podcast that has moved is removed under both of its addresses', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await recordFeed(a, 1, {}, [episode(1)], { movedTo: feed(2) });
  await a.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  clock.now += 31 * DAY;
  await Promise.all([a.refresh(), b.refresh()]);
  await a.podcasts.removeUnused();
  expect([...database.entries.keys()].filter((key) => /^[pef]\//.test(key))).toEqual([]);
  for (const node of [a, b]) {
    await node.refresh();
    expect(await node.podcasts.find([feed(1), feed(2)])).toEqual([undefined, undefined]);
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
  await recordFeed(a, 1, {}, [episode(2)]);
  await b.refresh();
  expect(await episodeNumbers(b, 1)).toContain(2);
});

it('a user who subscribes while a refresh reads that a podcast was removed sees it at once', async () => {
  const [a, b] = await openUnused();
  await a.podcasts.removeUnused();
  beforeAnswer(b, 'podcast', () => b.change('bob', { subscribed: [feed(1)] }));
  await b.refresh();
  expect(await b.podcasts.find([feed(1)])).toMatchObject([{ url: feed(1), subscribers: 1 }]);
});

it.each([
  ['subscribes to it', (b: Node) => b.change('bob', { subscribed: [feed(1)] })],
  ['merges a used one into it', (b: Node) => recordFeed(b, 2, {}, [], { movedTo: feed(1) })],
])('a podcast is not removed if another node %s meanwhile', async (_, change) => {
  const [a, b, database] = await openUnused();
  await b.change('carol', { subscribed: [feed(2)] });
  await a.refresh();
  beforeAnswer(a, 'url', () => change(b));
  await a.podcasts.removeUnused();
  for (const node of [a, b, await openNode(database)]) {
    await node.refresh();
    expect(await node.podcasts.find([feed(1)])).toMatchObject([{ url: feed(1), subscribers: 1 }]);
  }
});

it('a podcast is kept after its last subscriber has left, also if another node found it unused as they subscribed', async () => {
  const [a, b] = await openTwo();
  const unsubscribe = (): Promise<void> => a.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  await a.change('alice', { subscribed: [feed(1)] });
  await unsubscribe();
  await b.refresh();
  beforeAnswer(b, 'url', () => a.change('alice', { subscribed: [feed(1)] }));
  await b.podcasts.removeUnused();
  clock.now += 31 * DAY;
  await unsubscribe();
  await a.podcasts.removeUnused();
  expect(await a.podcasts.find([feed(1)])).toMatchObject([{ url: feed(1), subscribers: 0 }]);
});

it('a result that another node stores for a podcast that was just removed adds it again', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  await a.change('alice', { unsubscribed: [feed(1)].map(urlDigest) });
  await b.refresh();
  clock.now += 31 * DAY;
  await a.podcasts.removeUnused();
  await recordFeed(b, 1, { title: 'Linux' });
  for (const node of [a, b, await openNode(database)]) {
    await node.refresh();
    expect(await node.podcasts.find([feed(1)])).toMatchObject([{ title: 'Linux' }]);
  }
});
