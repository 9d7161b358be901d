import assert from 'node:assert/strict';
import { START, type Suite } from '../bench.ts';
import { episode, episodes, findEpisode, recordFeed } from '../directory/samples.ts';
import { feed, numberOf, numbersOf } from '../samples.ts';
import { exportDirectory, importDirectory, podcast, subscribe } from './samples.ts';

const DAY = 86_400;

export const transferEpisodeTests: Suite = ({ test }) => {
  test('lower no mark, however old', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 1);
    clock.at += 100;
    await recordFeed(storage, 1, {}, [episode(1)]);
    const { mark } = await storage.podcasts.episodesSince([feed(1)], 0, 9);
    await importDirectory(storage, podcast(2, START, [21]));
    let n = 1;
    for await (const open of nowAndReopened()) {
      assert.ok((await open.podcasts.episodesSince([feed(1)], 0, 9)).mark >= mark);
      await recordFeed(open, 1, {}, [episode((n += 1))]);
      const { items } = await open.podcasts.episodesSince([feed(1)], mark, 9);
      assert.ok(numbersOf(items).includes(n));
    }
  });

  test('replaces a known episode by the imported one', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await recordFeed(storage, 1, {}, [episode(1, { title: 'here' }), episode(2)]);
    await importDirectory(storage, podcast(1, START + DAY, [3, 1]));
    for await (const open of nowAndReopened()) {
      const found = await open.podcasts.episodes(feed(1), 9);
      assert.deepEqual(
        found.map(({ url, title }) => [numberOf(url), title]),
        [3, 2, 1].map((n) => [n, `Episode ${n}`]),
      );
      assert.deepEqual(
        found.filter(({ url }) => numberOf(url) !== 2).map(({ stamp }) => stamp - START),
        [3, 1],
      );
    }
  });

  test('a known episode keeps a newer stamp', async ({ storage, clock, nowAndReopened }) => {
    await subscribe(storage, 1);
    clock.at += 100;
    const since = clock.at;
    await recordFeed(storage, 1, {}, [episode(1)]);
    await importDirectory(storage, podcast(1, START + DAY, [2, 1]));
    for await (const { podcasts } of nowAndReopened()) {
      const { items } = await podcasts.episodesSince([feed(1)], since, 10);
      assert.deepEqual(numbersOf(items), [1]);
    }
  });

  test('a known episode can still be found by its previous URL', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    const before = 'https://old.example/1';
    await recordFeed(storage, 1, {}, [episode(1, { url: before })]);
    await importDirectory(storage, podcast(1, START + DAY, [1]));
    for await (const open of nowAndReopened()) {
      for (const url of [before, episode(1).url]) {
        assert.equal((await findEpisode(open, feed(1), url))?.url, episode(1).url);
      }
    }
  });

  test('an episode is matched by GUID before a URL that another episode has now', async ({
    storage,
    clock,
    nowAndReopened,
  }) => {
    const latest = 'https://podcasts.example/latest';
    await subscribe(storage, 1);
    clock.at += 100;
    const since = clock.at;
    await recordFeed(storage, 1, {}, [episode(1, { url: latest })]);
    await importDirectory(storage, [
      ...podcast(1, START + DAY),
      { kind: 'episode', episode: { ...episode(2, { url: latest }), stamp: START + 20, formerUrls: [] } },
      { kind: 'episode', episode: { ...episode(1), stamp: START + 10, formerUrls: [] } },
    ]);
    for await (const { podcasts } of nowAndReopened()) {
      const { items } = await podcasts.episodesSince([feed(1)], since, 9);
      assert.deepEqual(
        items.map(({ title }) => title),
        ['Episode 1'],
      );
      assert.equal((await findEpisode({ podcasts }, feed(1), latest))?.stamp, START + 20);
    }
  });

  test('an episode is matched by a former URL of the export', async ({ storage, nowAndReopened }) => {
    await subscribe(storage, 1);
    await recordFeed(storage, 1, {}, [episode(1)]);
    const moved = { ...episode(2), stamp: START, formerUrls: [episode(1).url] };
    await importDirectory(storage, [...podcast(1, START + DAY), { kind: 'episode', episode: moved }]);
    for await (const { podcasts } of nowAndReopened()) {
      const found = await podcasts.episodes(feed(1), 9);
      assert.deepEqual(numbersOf(found), [2]);
      assert.equal((await findEpisode({ podcasts }, feed(1), episode(1).url))?.url, episode(2).url);
    }
  });

  test('a URL of two episodes belongs to the one that has it now', async ({ storage, nowAndReopened }) => {
    const moved = { ...episode(2), stamp: START, formerUrls: [episode(1).url, episode(3).url] };
    const [two] = podcast(2, START);
    await importDirectory(storage, [
      ...podcast(1, START, [1]),
      two!,
      { kind: 'episode', episode: moved },
      ...podcast('new', START + DAY, [], { formerUrls: [feed(1), feed(2)] }),
    ]);
    for await (const open of nowAndReopened()) {
      const exported = (await exportDirectory(open)).flatMap((record) =>
        record.kind === 'episode' ? record.episode : [],
      );
      assert.deepEqual(
        exported.map(({ url, formerUrls }) => [url, formerUrls]),
        [
          [episode(2).url, [episode(3).url]],
          [episode(1).url, []],
        ],
      );
      assert.equal((await findEpisode(open, feed(1), episode(1).url))?.url, episode(1).url);
    }
  });

  test('later episodes get stamps above the imported ones', async (bench) => {
    const { storage, clock } = bench;
    await subscribe(storage, 1);
    await importDirectory(storage, podcast(2, START, [900, 800]));
    for await (const open of bench.nowAndReopened()) {
      const { items, mark } = await open.podcasts.episodesSince([feed(1), feed(2)], START + 800, 9);
      assert.deepEqual(
        items.map(({ stamp }) => stamp - START),
        [900, 800],
      );
      assert.equal(mark, START + 901);
    }
    const open = await bench.reopen();
    clock.at += 10;
    await recordFeed(open, 1, {}, episodes(1));
    const later = await open.podcasts.episodesSince([feed(1), feed(2)], START + 902, 9);
    assert.deepEqual(numbersOf(later.items), [1]);
  });
};
