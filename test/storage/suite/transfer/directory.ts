import assert from 'node:assert/strict';
import type { DirectoryRecord } from '../../../../src/storage/stores.ts';
import { episodeInfo, podcastInfo } from '../../../podcasts.ts';
import { type Bench, START, type Suite } from '../bench.ts';
import { episode, findEpisode, info, recordFeed, state } from '../directory/samples.ts';
import { feed, numbersOf } from '../samples.ts';
import {
  exportDirectory,
  exportUser,
  feedOf,
  createFullAccount,
  importDirectory,
  importUser,
  subscribe,
} from './samples.ts';

const DAY = 86_400;

/** A directory with all kinds of data. Sets the clock to two weeks after `START`. */
async function fill({ storage, clock }: Pick<Bench, 'storage' | 'clock'>): Promise<void> {
  await subscribe(storage, 2, 1, 'old', 'older', 'unread', 'gone');
  await storage.podcasts.addMetadata([
    { url: feed('unread'), title: 'Announced', website: 'https://announced.example/' },
  ]);
  await recordFeed(storage, 1, { title: 'One', tags: ['Science & Nature', 'WEATHER', '!'] }, [
    episode(3),
    episode(2),
    episode(1),
  ]);
  await storage.podcasts.rebuildToplist();
  clock.at += 8 * DAY;
  await recordFeed(
    storage,
    2,
    { title: '\u{1d49c} \uff5a "\u0001', tags: ['weather', 'science nature', '\u{10300}', '\ufa0e'], logoUrl: null },
    [episodeInfo({ url: 'https://podcasts.example/bare' })],
  );
  await recordFeed(storage, 1, { title: 'One', tags: ['Science & Nature'] }, [
    episode(4, { guid: 'guid of 3', releasedAt: 1_600_000_003 }),
    episode(5, { releasedAt: 1_600_000_001 }),
  ]);
  for (const [from, to] of [
    ['older', 'old'],
    ['old', 'new'],
  ] as const) {
    await recordFeed(storage, from, { title: 'Moved' }, [episode(9)], { movedTo: feed(to) });
  }
  const failed = {
    failures: 3,
    nextAt: START + 99,
    error: 'no answer',
    etag: '"a"',
    lastModified: 'Mon',
    intervalSeconds: 7,
  };
  await storage.podcasts.record(feed(2), { state: state(feed(2), failed) });
  const { nextAt: _, fetchedAt: __, ...never } = state(feed('gone'), { failures: 1, error: 'gone' });
  await storage.podcasts.record(feed('gone'), { state: never });
  await storage.podcasts.rebuildToplist();
  clock.at += 6 * DAY;
}

const toplist = (at: number, ...names: string[]): DirectoryRecord => ({ kind: 'toplist', at, urls: names.map(feed) });

export const transferDirectoryTests: Suite = ({ describe, test }) => {
  describe('an export', () => {
    test('contains everything, in a fixed order', async (bench) => {
      const { storage, clock } = bench;
      await subscribe(storage, 2, 1, 'old');
      await recordFeed(storage, 2, { tags: ['Weather', 'Art & Co', 'Gone'] }, [episode(7)]);
      const { mark } = await storage.podcasts.episodesSince([feed(2)], 0, 9);
      await storage.podcasts.rebuildToplist();
      clock.at += DAY;
      await recordFeed(storage, 2, { tags: ['weather'] }, [episode(8, { guid: 'guid of 7' })]);
      await recordFeed(storage, 'old', { tags: ['ART co'] }, [], { movedTo: feed('new') });
      const { guid: _, ...withoutGuid } = episode(6);
      await recordFeed(storage, 2, { tags: ['weather'] }, [withoutGuid]);
      const second = (await storage.podcasts.episodesSince([feed(2)], 0, 9)).mark;
      await storage.podcasts.rebuildToplist();

      assert.deepEqual(await exportDirectory(storage), [
        { kind: 'tag', tag: 'art-co', title: 'Art & Co' },
        { kind: 'tag', tag: 'weather', title: 'Weather' },
        {
          kind: 'podcast',
          url: feed(1),
          info: podcastInfo(),
          feed: { intervalSeconds: 0, failures: 0, nextAt: START },
          formerUrls: [],
        },
        { kind: 'podcast', url: feed(2), info: info({ tags: ['weather'] }), feed: feedOf(2), formerUrls: [] },
        {
          kind: 'episode',
          episode: { ...episode(8, { guid: 'guid of 7' }), stamp: mark - 1, formerUrls: [episode(7).url] },
        },
        { kind: 'episode', episode: { ...withoutGuid, stamp: second - 1, formerUrls: [] } },
        {
          kind: 'podcast',
          url: feed('new'),
          info: info({ tags: ['ART co'] }),
          feed: feedOf('old'),
          formerUrls: [feed('old')],
        },
        { kind: 'toplist', at: START + DAY, urls: [feed(1), feed(2), feed('new')] },
        { kind: 'toplist', at: START, urls: [feed(1), feed(2), feed('new')] },
      ]);
    });

    for (const to of ['0', 'z']) {
      test(`has a feed once that moves to ${feed(to)} meanwhile`, async ({ storage }) => {
        await subscribe(storage, 1, 2);
        await recordFeed(storage, 1);
        await recordFeed(storage, 2, {}, [episode(7)]);
        const records: DirectoryRecord[] = [];
        for await (const page of storage.transfer.exportDirectory()) {
          records.push(...page);
          if (records.length === 1) await recordFeed(storage, 2, {}, [], { movedTo: feed(to) });
        }
        const podcasts = records.flatMap((each) => (each.kind === 'podcast' ? [[each.url, ...each.formerUrls]] : []));
        assert.equal(podcasts.filter((urls) => urls.includes(feed(2))).length, 1);
        const episodes = records.flatMap((each) => (each.kind === 'episode' ? each.episode.url : []));
        assert.deepEqual(episodes, [episode(7).url]);
      });
    }

    test('has the episodes of a feed that is merged meanwhile with one already exported', async ({ storage }) => {
      await subscribe(storage, 1, 2);
      await recordFeed(storage, 1, {}, [episode(1)]);
      await recordFeed(storage, 2, {}, [episode(7)]);
      const later = state(feed(2), { fetchedAt: 1_800_000_001 });
      const records: DirectoryRecord[] = [];
      for await (const page of storage.transfer.exportDirectory()) {
        if (records.length === 0) await recordFeed(storage, 2, {}, [], { movedTo: feed(1), state: later });
        records.push(...page);
      }
      await storage.transfer.clear();
      await importDirectory(storage, records);
      const { items } = await storage.podcasts.episodesSince([feed(1), feed(2)], 0, 9);
      assert.deepEqual(items.map(({ url }) => url).toSorted(), [episode(1).url, episode(7).url]);
    });

    test('of an empty directory is empty', async ({ storage }) => {
      assert.deepEqual(await exportDirectory(storage), []);
      await storage.podcasts.rebuildToplist();
      assert.deepEqual(await exportDirectory(storage), []);
    });
  });

  describe('an import', () => {
    test('recreates the exported directory, to the last record', async (bench) => {
      const { storage } = bench;
      await fill(bench);
      const records = await exportDirectory(storage);
      await storage.transfer.clear();
      await importDirectory(storage, records);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await exportDirectory(open), records);
        await importDirectory(open, records);
        assert.deepEqual(await exportDirectory(open), records, 'once more changes nothing');
      }
    });

    test('can be found by every URL, tag, word and logo', async (bench) => {
      const { storage } = bench;
      await fill(bench);
      const records = await exportDirectory(storage);
      const before = await storage.podcasts.find([feed('older'), feed(1)]);
      await storage.transfer.clear();
      await importDirectory(storage, records);
      await subscribe(storage, 1, 2, 'new');
      for await (const { podcasts } of bench.nowAndReopened()) {
        const found = await podcasts.find([feed('older'), feed('old'), feed('new'), feed(1)]);
        assert.deepEqual(
          found.map((each) => each?.url),
          [feed('new'), feed('new'), feed('new'), feed(1)],
        );
        assert.deepEqual(
          [found[0], found[3]],
          before.map((each) => ({ ...each, subscribers: 1 })),
        );
        assert.equal((await findEpisode({ podcasts }, feed(1), episode(3).url))?.url, episode(4).url);
        assert.equal((await podcasts.feed(feed('gone')))?.nextAt, undefined);
        assert.deepEqual(
          (await podcasts.topTags(9)).map(({ title, usage }) => [title, usage]),
          [
            ['Science & Nature', 2],
            ['WEATHER', 1],
            ['\ufa0e', 1],
            ['\u{10300}', 1],
          ],
        );
        assert.deepEqual(numbersOf(await podcasts.byTag('SCIENCE nature', 9)), [1, 2]);
        assert.deepEqual(
          (await podcasts.search('moved', 9)).map(({ url }) => url),
          [feed('new')],
        );
      }
    });

    test('keeps the schedule of each feed', async ({ storage, clock, reopen }) => {
      await subscribe(storage, 1);
      await recordFeed(storage, 1, {}, [], { state: state(feed(1), { nextAt: START + 60 }) });
      const user = await exportUser(storage, (await storage.users.find('alice'))!.id);
      const records = await exportDirectory(storage);
      await storage.transfer.clear();
      await importDirectory(storage, records);
      await importUser(storage, user);
      const { podcasts } = await reopen();
      clock.at += 59;
      assert.deepEqual(await podcasts.claimDue(9, 60), []);
      clock.at += 1;
      assert.deepEqual(numbersOf(await podcasts.claimDue(9, 60)), [1]);
    });

    test('keeps the ranks of last week', async (bench) => {
      const { storage, clock } = bench;
      await subscribe(storage, 2, 'old');
      await storage.podcasts.rebuildToplist();
      await recordFeed(storage, 'old', {}, [], { movedTo: feed('new') });
      clock.at += 7 * DAY;
      const records = await exportDirectory(storage);
      await storage.transfer.clear();
      await importDirectory(storage, records);
      await subscribe(storage, 'new', 2, 3);
      for await (const { podcasts } of bench.nowAndReopened()) {
        const ranks = (await podcasts.top(9)).map(({ url, positionLastWeek }) => [url, positionLastWeek]);
        assert.deepEqual(ranks, [
          [feed(2), 1],
          [feed(3), 0],
          [feed('new'), 2],
        ]);
      }
    });

    test('skips unknown podcasts on a toplist', async ({ storage, nowAndReopened }) => {
      await subscribe(storage, 'old');
      await recordFeed(storage, 'old', {}, [], { movedTo: feed('new') });
      await importDirectory(storage, [
        toplist(START, 'unknown', 'old'),
        toplist(START - DAY, 'unknown'),
        toplist(START - DAY - 1, 'new'),
      ]);
      for await (const open of nowAndReopened()) {
        const [, ...toplists] = await exportDirectory(open);
        assert.deepEqual(toplists, [toplist(START, 'new'), toplist(START - DAY - 1, 'new')]);
      }
    });
  });

  test('clearing leaves a storage like new', async (bench) => {
    const { storage } = bench;
    const alice = await createFullAccount(bench);
    await fill(bench);
    const top = await storage.podcasts.top(9);
    assert.ok(top.length > 0 && (await storage.podcasts.search('moved', 9)).length > 0);
    await storage.transfer.clear();
    for await (const open of bench.nowAndReopened()) {
      assert.deepEqual(await open.users.all(), []);
      assert.equal(await open.users.find('alice'), undefined);
      assert.deepEqual(await exportDirectory(open), []);
      assert.deepEqual(await open.podcasts.top(9), []);
      assert.deepEqual(await open.podcasts.topTags(9), []);
      assert.deepEqual(await open.podcasts.search('moved', 9), []);
      assert.deepEqual(await open.podcasts.claimDue(9, 60), []);
      await assert.rejects(open.devices.save(alice, 'phone', {}));
    }
    const open = await bench.reopen();
    bench.clock.at = START - DAY;
    await subscribe(open, 1);
    await recordFeed(open, 1, { tags: ['weather'] }, [episode(1)]);
    const [found] = await open.podcasts.episodes(feed(1), 9);
    assert.equal(found?.stamp, bench.clock.at + 1, 'the line of stamps begins anew');
    assert.deepEqual(await open.podcasts.topTags(9), [{ tag: 'weather', title: 'weather', usage: 1 }]);
  });
};
