import { expect, it } from 'vitest';
import { exportDirectory } from '../../../src/storage/directory/transfer.ts';
import { urlDigest } from '../../../src/storage/keys.ts';
import { MemoryDatabase } from '../memory-store.ts';
import { START } from '../suite/bench.ts';
import { episode, episodeNumbers, recordFeed } from '../suite/directory/samples.ts';
import { feed, feeds, numbersOf } from '../suite/samples.ts';
import { beforeAnswer, type Node, openNode, openTwo } from './node.ts';

/** Runs a step once, before the next call of this kind. */
function beforeNext({ store }: Node, kind: 'list' | 'commit', step: () => Promise<void>): void {
  store.before = async (call) => {
    if (call !== kind) return;
    store.before = undefined;
    await step();
  };
}

/** A node that has just started, with feed 1 and its episode 1. */
async function openStarted(): Promise<Node> {
  const [node, , database] = await openTwo();
  await node.change('alice', { subscribed: [feed(1)] });
  await recordFeed(node, 1, {}, [episode(1)]);
  return openNode(database);
}

it('episodes are found while their podcast moves', async () => {
  const node = await openStarted();
  beforeNext(node, 'list', () => recordFeed(node, 1, {}, [episode(1)], { movedTo: feed(2) }));
  expect(await episodeNumbers(node, 1)).toEqual([1]);
});

it('episodes that are stored while others are read are for the next call', async () => {
  const node = await openStarted();
  beforeNext(node, 'list', () => recordFeed(node, 1, {}, [episode(1), episode(2)]));
  const { items, mark } = await node.podcasts.episodesSince([feed(1)], 0, 9);
  expect(numbersOf(items)).toEqual([1]);
  expect(numbersOf((await node.podcasts.episodesSince([feed(1)], mark, 9)).items)).toEqual([2]);
});

it('a podcast that is merged with another one during an export is exported once', async () => {
  const [node] = await openTwo();
  await node.change('alice', { subscribed: feeds(3) });
  const records = exportDirectory(node.core.directory);
  const urls: string[] = [];
  for await (const [record] of records) {
    if (record?.kind === 'podcast') urls.push(record.url);
    if (urls.length === 1) await recordFeed(node, 2, {}, [], { movedTo: feed(3) });
  }
  expect(urls).toEqual([feed(1), feed(3)]);
});

it('a feed that is being fetched is not fetched again after a conflict', async () => {
  const node = await openNode(new MemoryDatabase(), false);
  await node.change('alice', { subscribed: [feed(1)] });
  expect(await node.podcasts.claimDue(9, 60)).toHaveLength(1);
  await Promise.all(
    [{ title: 'A' }, { description: 'B' }].map((each) => node.podcasts.addMetadata([{ url: feed(1), ...each }])),
  );
  expect(await node.podcasts.claimDue(9, 60)).toEqual([]);
});

it('a feed whose lease cannot be stored is due again at once', async () => {
  const node = await openStarted();
  await recordFeed(node, 1, {}, [], { state: { url: feed(1), intervalSeconds: 0, failures: 0, nextAt: START } });
  beforeNext(node, 'commit', () => Promise.reject(new Error('no connection')));
  await expect(node.podcasts.claimDue(9, 60)).rejects.toThrow('no connection');
  expect(await node.podcasts.claimDue(9, 60)).toHaveLength(1);
});

it('a subscription that ends while a refresh reads it does not reappear', async () => {
  const [a, b] = await openTwo();
  await a.change('alice', { subscribed: [feed(1)] });
  beforeAnswer(b, 'alice', () => b.change('alice', { unsubscribed: [feed(1)].map(urlDigest) }));
  await b.refresh();
  expect(await b.podcasts.find([feed(1)])).toMatchObject([{ subscribers: 0 }]);
});

it('of the tags of a podcast, those that another node has stored keep their titles, and the others are stored', async () => {
  const [a, b, database] = await openTwo();
  await a.change('alice', { subscribed: feeds(2) });
  await b.refresh();
  await recordFeed(a, 1, { tags: ['NEWS'] });
  await recordFeed(b, 2, { tags: ['news', 'The Arts'] });
  for (const { podcasts } of [b, await openNode(database)]) {
    expect((await podcasts.topTags(9)).map(({ title }) => title)).toEqual(['NEWS', 'The Arts']);
  }
});
