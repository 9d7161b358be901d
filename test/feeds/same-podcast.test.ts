import { expect, it } from 'vitest';
import { isSamePodcast, type PodcastIdentity } from '../../src/feeds/same-podcast.ts';

const podcast = (title: string, ...episodes: PodcastIdentity['episodes']): PodcastIdentity => ({
  title,
  guid: null,
  episodes,
});

it.each([
  ['both without episodes', podcast('T'), podcast('T'), true],
  ['one without episodes', podcast('T'), podcast('T', { url: 'http://media.test/1' }), false],
  [
    'both without a title',
    podcast('', { url: 'http://media.test/1' }),
    podcast('', { url: 'http://media.test/1' }),
    false,
  ],
  [
    'episodes with equal GUIDs at other URLs',
    podcast('T', { url: 'http://media.test/1', guid: '1' }),
    podcast('T', { url: 'http://media.example/1', guid: '1' }),
    true,
  ],
  [
    'only half of the episodes in common',
    podcast('T', { url: 'http://media.test/2' }, { url: 'http://media.test/1' }),
    podcast('T', { url: 'http://media.test/1' }),
    false,
  ],
])('feeds with equal titles, %s: whether they are the same podcast', (_, here, there, isSame) => {
  expect(isSamePodcast(here, there)).toBe(isSame);
});
