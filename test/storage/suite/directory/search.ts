import assert from 'node:assert/strict';
import type { Url } from '../../../../src/domain/types.ts';
import type { PodcastStore } from '../../../../src/storage/stores.ts';
import type { Bench, Suite } from '../bench.ts';
import { addUser, feed, numbersOf, subscribe } from '../samples.ts';
import { recordFeed } from './samples.ts';

const LIBRARY = [
  { title: 'The Linux Hour', author: 'Tux Verlag', tags: ['Technology'] },
  { title: 'Kochen mit Zoë', description: 'Rezepte aus Österreich, jede Woche.' },
  { title: '鉄道ファン', description: '日本の鉄道について話します。' },
  { title: 'Радио Маяк', author: 'Анна' },
  { title: 'تاريخ العرب', description: 'بودكاست' },
  { title: '오늘의 뉴스', description: '매일 아침' },
  { title: 'Short waves', tags: ['Physics'], description: `${'Sound. '.repeat(300)}Ionosphere.` },
  { title: 'Cœur et smørrebrød', author: 'Aydınlık Łódź' },
];

/** Creates a user who subscribes to all of them, and stores their content. */
async function fill({ storage }: Bench): Promise<void> {
  await subscribe(storage, ...LIBRARY.map((_, i) => i + 1));
  for (const [i, podcast] of LIBRARY.entries()) {
    await recordFeed(storage, i + 1, { author: '', description: '', ...podcast });
  }
}

/** The found feeds. */
const search = async (podcasts: PodcastStore, text: string): Promise<Url[]> =>
  (await podcasts.search(text, 20)).map(({ url }) => url);

export const searchTests: Suite = ({ test }) => {
  for (const [text, found] of [
    ['linux', 1],
    ['LINUX hour', 1],
    ['lin', 1],
    ['Linus', 1],
    ['linnux', 1],
    ['ilnux', 1],
    ['lniux', 1],
    ['liunx', 1],
    ['linxu', 1],
    ['verlag', 1],
    ['zoe', 2],
    ['österreich', 2],
    ['rezept', 2],
    ['鉄道', 3],
    ['道', 3],
    ['ファン', 3],
    ['маяк', 4],
    ['маек', 4],
    ['العرب', 5],
    ['뉴스', 6],
    ['오늘', 6],
    ['오', 6],
    ['physics', 7],
    ['ionosphere', 7],
    ['coeur', 8],
    ['smorrebrod', 8],
    ['aydinlik lodz', 8],
    [feed(7), 7],
  ] as const) {
    test(`for ${text} finds it first`, async (bench) => {
      await fill(bench);
      for await (const { podcasts } of bench.nowAndReopened()) {
        assert.equal(numbersOf(await podcasts.search(text, 20))[0], found);
      }
    });
  }

  test('finds a feed that was never fetched by the words of its URL', async (bench) => {
    const url = 'https://feeds.example.org/gardening-weekly.xml';
    const user = await addUser(bench.storage, 'ann');
    await bench.storage.subscriptions.replace(user, 'phone', [feed(1), url]);
    for await (const { podcasts } of bench.nowAndReopened()) {
      for (const text of ['gardening', 'weekly garden']) assert.deepEqual(await search(podcasts, text), [url], text);
    }
  });

  test('ignores the scheme and the credentials of a URL', async (bench) => {
    const url = 'https://ann@mail.example:hunter2@feeds.example.org/garden.xml';
    // With enough subscribers to be listed.
    for (const name of ['ann', 'ben', 'cleo']) {
      const user = await addUser(bench.storage, name);
      await bench.storage.subscriptions.replace(user, 'phone', [url, 'https://feeds.example.org/other.xml']);
    }
    for await (const { podcasts } of bench.nowAndReopened()) {
      for (const text of ['https', 'ann', 'hunter2']) assert.deepEqual(await search(podcasts, text), [], text);
      for (const text of ['garden', ' HTTPS://feeds.example.org/garden.xml']) {
        assert.deepEqual(await search(podcasts, text), [url], text);
      }
    }
  });

  test('does not take a word that a title has for a misspelling', async (bench) => {
    await subscribe(bench.storage, 1, 2);
    for (const [n, title] of [
      [1, 'Linux'],
      [2, 'Linus'],
    ] as const) {
      await recordFeed(bench.storage, n, { title });
    }
    for await (const { podcasts } of bench.nowAndReopened()) {
      assert.deepEqual(await search(podcasts, 'linux'), [feed(1)]);
      assert.deepEqual((await search(podcasts, 'linuz')).toSorted(), [feed(1), feed(2)]);
    }
  });

  test('returns a short title before a long one with the same word', async (bench) => {
    await subscribe(bench.storage, 1, 2);
    await recordFeed(bench.storage, 1, { title: 'News of a whole week, every day' });
    await recordFeed(bench.storage, 2, { title: 'News' });
    for await (const { podcasts } of bench.nowAndReopened()) {
      assert.deepEqual(await search(podcasts, 'news'), [feed(2), feed(1)]);
    }
  });

  test('finds nothing without a word of a podcast', async (bench) => {
    await fill(bench);
    for (const text of ['quantum', '猫', '!!!', '', ' ', '%', '*', '"', 'constructor', 'https://']) {
      assert.deepEqual(await bench.storage.podcasts.search(text, 20), [], text);
    }
  });

  test('finds podcasts with any of the words if none has all', async (bench) => {
    await fill(bench);
    for await (const { podcasts } of bench.nowAndReopened()) {
      for (const [text, found] of [
        ['linux quantum', [1]],
        ['linnux quantum', [1]],
        ['鉄道 quantum', [3]],
        ['linux physics', [1, 7]],
        ['physics verlag quantum', [1, 7]],
        ['linux verlag', [1]],
        ['quantum physiology', []],
      ] as const) {
        assert.deepEqual(numbersOf(await podcasts.search(text, 20)).toSorted(), found, text);
      }
    }
  });

  test('uses the first words of a very long text', async (bench) => {
    await fill(bench);
    const first = Array.from({ length: 20 }, (_, i) => `word${i}`);
    await recordFeed(bench.storage, 1, { description: first.join(' ') });
    await recordFeed(bench.storage, 2, { description: 'word0' });
    const others = Array.from({ length: 2000 }, (_, i) => `other${i}`);
    assert.deepEqual(numbersOf(await bench.storage.podcasts.search([...first, ...others].join(' '), 20)), [1]);
  });

  test('follows every change, and respects the limit', async (bench) => {
    await fill(bench);
    const { podcasts } = bench.storage;
    assert.deepEqual(numbersOf(await podcasts.search('linux', 20)), [1]);
    await recordFeed(bench.storage, 2, { title: 'Linux too' });
    await recordFeed(bench.storage, 1, { title: 'Renamed', author: '' });
    assert.deepEqual(numbersOf(await podcasts.search('linux', 20)), [2]);
    assert.deepEqual(numbersOf(await podcasts.search('renamed', 20)), [1]);
    assert.equal((await podcasts.search('podcasts.example', 3)).length, 3);
  });
};
