import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { PodcastInfo, Storage } from '../../../../src/old-plugin.ts';
import { recordFeed } from '../../../readings.ts';
import { seed } from '../../../seed.ts';

let dataDir: string;
let storage: Storage;
const open = (): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-search-'));
  storage = await open();
});
afterEach(async () => {
  await storage.close();
  await rm(dataDir, { recursive: true });
});

const feed = (n: number): string => `http://podcasts.example/${n}`;

async function subscribe(name: string, numbers: readonly number[]): Promise<void> {
  const { id } = await storage.users.create({ name, passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', numbers.map(feed));
}

/** Makes podcasts 0, 1, … known. */
async function fill(podcasts: readonly Partial<PodcastInfo>[]): Promise<void> {
  await subscribe('bob', [...podcasts.keys()]);
  for (const [n, podcast] of podcasts.entries()) await recordFeed(storage, feed(n), podcast);
}

it('credentials in a URL cannot be guessed letter by letter', async () => {
  const { id } = await storage.users.create({ name: 'eve', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', ['https://eve:hunter2@feeds.example/show']);
  for (const text of ['https://eve:h', 'https://eve:hunter2', 'https://eve:hunter2@']) {
    expect(await storage.podcasts.search(text, 20)).toEqual([]);
  }
  expect(await storage.podcasts.search('https://eve:hunter2@feeds.example/show', 20)).toHaveLength(1);
});

const search = async (text: string, limit = 20): Promise<number[]> =>
  (await storage.podcasts.search(text, limit)).map(({ url }) => Number(url.slice(feed(0).length - 1)));

it.each([
  ['a letter more', 'llinux', 'linnux', 'linuxx'],
  ['a letter less', 'inux', 'lnux', 'linu'],
  ['another letter', 'kinux', 'lynux', 'linus'],
  ['two in each other’s place', 'ilnux', 'lniux', 'linxu'],
])('finds a word with %s', async (_what, ...texts) => {
  await fill([{ title: 'Linux' }, { title: 'Lion' }]);
  for (const text of texts) expect(await search(text), text).toEqual([0]);
  for (const text of ['xunil', 'luxin', 'lix', 'linuxenx']) expect(await search(text), text).toEqual([]);
});

it('finds misspelt words of any script', async () => {
  await fill([{ title: 'Москва слезам' }, { title: 'العربية' }, { title: '안녕하세요' }, { title: '𞤀𞤣𞤤𞤢𞤥' }]);
  expect(await search('масква')).toEqual([0]);
  expect(await search('العرببة')).toEqual([1]);
  expect(await search('안영하세요')).toEqual([2]);
  expect(await search('𞤀𞤣𞤤𞤢𞤢')).toEqual([3]);
});

it('ranks by where the word is, then whole words before beginnings, and misspellings last', async () => {
  await fill([
    { title: 'Nothing else', description: 'It is about radio.' },
    { title: 'Radiology' },
    { title: 'Nothing', author: 'Radio One' },
    { title: 'Radio days' },
    { title: 'An abbot' },
    { title: 'Radiologists', description: 'No radio.' },
  ]);
  expect(await search('radio')).toEqual([3, 1, 5, 2, 0]);
  expect(await search('radio', 2)).toEqual([3, 1]);
  expect(await search('about')).toEqual([0]);
  expect(await search('abbout')).toEqual([4, 0]);
});

it('ranks what many subscribe to first, then the shorter title', async () => {
  await fill([{ title: 'News of the World' }, { title: 'News' }, { title: 'News at Noon' }]);
  expect(await search('news')).toEqual([1, 2, 0]);
  for (const name of ['eve', 'joe', 'sue']) await subscribe(name, [0]);
  expect(await search('news')).toEqual([0, 1, 2]);
});

it('every word of a text counts, in whichever field it is', async () => {
  await fill([{ title: 'Morning news', author: 'Anna' }, { title: 'Morning', author: 'Bert' }, { author: 'Anna' }]);
  expect(await search('anna morn')).toEqual([0]);
  expect(await search('anna mornin')).toEqual([0]);
  expect(await search('bert news')).toEqual([0, 1]);
  expect(await search('MORNING')).toEqual([1, 0]);
});

it('names that objects have anyway are words like any other', async () => {
  const names = ['constructor', '__proto__', 'hasOwnProperty', 'toString'];
  await fill(names.map((title) => ({ title })));
  for (const [n, name] of names.entries()) expect(await search(name), name).toEqual([n]);
});

it('bears a text of any length', async () => {
  const words = Array.from({ length: 3000 }, (_, n) => `word${n.toString(36)}`);
  await fill([{ title: 'All', description: words.join(' ') }]);
  expect(await search(words.join(' '))).toEqual([0]);
  expect(await search('x'.repeat(100_000))).toEqual([]);
});

it('others are answered while the index is being made', async () => {
  await fill(Array.from({ length: 200 }, (_, n) => ({ title: `Show ${n}`, description: `öä${n} `.repeat(3000) })));
  await storage.close();
  storage = await open(); // a second after the start the index is made anyway
  const found = search('show');
  let turns = 0;
  while (!(await Promise.race([found.then(() => true), setImmediate(false)]))) turns += 1;
  expect(await found).toHaveLength(20);
  expect(turns).toBeGreaterThan(5);
});

/** None that a word of the URLs begins with. */
const LETTERS = ['a', 'b', 'o', 'я'];
/** A language so small that many words are alike. */
const WORD = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 5 });
const TEXT = fc.array(WORD, { maxLength: 4 }).map((words) => words.join(' '));
const PODCAST = fc.record({ title: TEXT, author: TEXT, description: TEXT, tags: fc.array(TEXT, { maxLength: 2 }) });
const LIBRARY = 8;
/** A podcast changes, or is searched for. */
const STEP = fc.oneof(
  fc.tuple(fc.nat({ max: LIBRARY - 1 }), PODCAST),
  fc.array(WORD, { minLength: 1, maxLength: 2 }).map((words) => words.join(' ')),
);
type Texts = Pick<PodcastInfo, 'title' | 'author' | 'description' | 'tags'>;

const prominent = ({ title, author, tags }: Texts): string[] => [title, author, ...tags].join(' ').split(' ');
const allWords = (podcast: Texts): string[] => [...prominent(podcast), ...podcast.description.split(' ')];

/** All that one letter more, less or other, or two in each other's place, make of a word. */
function misspellings(word: string): string[] {
  return Array.from({ length: word.length + 1 }, (_, at) => {
    const [start, end] = [word.slice(0, at), word.slice(at)];
    const others = LETTERS.flatMap((letter) => [start + letter + end, start + letter + end.slice(1)]);
    return [...others, start + end.slice(1), start + (end[1] ?? '') + (end[0] ?? '') + end.slice(2)];
  }).flat();
}

it('finds what looking at each podcast finds, whatever has changed before', async () => {
  const nothing: Texts = { title: '', author: '', description: '', tags: [] };
  await fill(Array.from({ length: LIBRARY }, () => nothing));
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 40 }), async (steps) => {
      const library = Array.from({ length: LIBRARY }, () => nothing);
      for (const n of library.keys()) await recordFeed(storage, feed(n), nothing);
      for (const step of steps) {
        if (typeof step !== 'string') {
          const [n, podcast] = step;
          library[n] = podcast;
          await recordFeed(storage, feed(n), podcast);
          continue;
        }
        const isDoubtful = (word: string): boolean =>
          word.length > 2 && !library.some((podcast) => prominent(podcast).includes(word));
        const has = (podcast: Texts, word: string): boolean => allWords(podcast).some((each) => each.startsWith(word));
        const hasSimilar = (podcast: Texts, word: string): boolean =>
          isDoubtful(word) && misspellings(word).some((each) => allWords(podcast).includes(each));
        const hasNearly = (podcast: Texts, word: string): boolean => has(podcast, word) || hasSimilar(podcast, word);
        const words = step.split(' ');
        const whoHasAll = (test: typeof has): number[] =>
          [...library.keys()].filter((n) => words.every((word) => test(library[n]!, word)));
        const whoHasAny = [...library.keys()].filter((n) => words.some((word) => hasNearly(library[n]!, word)));

        const found = await search(step);
        const exact = whoHasAll(has);
        expect(found.slice(0, exact.length).toSorted()).toEqual(exact);
        const nearly = whoHasAll(hasNearly);
        expect(found.toSorted()).toEqual(nearly.length > 0 ? nearly : whoHasAny);
      }
    }),
    { seed, numRuns: 40 },
  );
});
