import { expect, it } from 'vitest';
import { selectPodcasts } from '../../src/services/sync/library.ts';

it('filters podcasts by the first 20 words only', () => {
  const podcasts = ['one two', 'one'].map((title) => ({
    title,
    url: `https://podcasts.example/${title}`,
    devices: [],
  }));
  const select = (text: string) => selectPodcasts(podcasts, { text, order: 'name' }).map(({ title }) => title);
  expect(select(`${'one '.repeat(19)}two`)).toEqual(['one two']);
  expect(select(`${'one '.repeat(20)}two`)).toEqual(['one', 'one two']);
});
