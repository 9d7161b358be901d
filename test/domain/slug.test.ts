import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlug, isSlug } from '../../src/domain/slug.ts';
import { seed } from '../seed.ts';

it.each([
  ['Tech News', 'tech-news'],
  ['  My (2nd) list!  ', 'my-2nd-list'],
  ['snake_case__name', 'snake-case-name'],
  ['a---b', 'a-b'],
  ['Café Über', 'cafe-uber'],
  ['Cafe\u0301', 'cafe'],
  ['ﬁnance №5', 'finance-no5'],
  ['İstanbul', 'istanbul'],
  ['rock—roll', 'rock-roll'],
  ['rock🎸roll', 'rock-roll'],
  ['Подкасты 2024', '2024'],
  // another script only
  ['Мои Подкасты', 'мои-подкасты'],
  ['日本語_ポッドキャスト', '日本語-ポッドキャスト'],
  ['한국어', '한국어'],
  ['हिन्दी', 'हिन्दी'],
  ['١٢٣', '١٢٣'],
  // no letters or digits
  ['', ''],
  ['___', ''],
  ['!?', ''],
  ['🎸', ''],
  ['\u0301', ''],
])('%j becomes %j', (title, slug) => {
  expect(createSlug(title)).toBe(slug);
});

it('is idempotent and safe in a path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (title) => {
      const slug = createSlug(title);
      expect(slug).toMatch(/^(?:[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*)?$/u);
      expect(createSlug(slug)).toBe(slug);
    }),
    { seed, numRuns: 5000 },
  );
});

it('isSlug accepts every slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (title) => {
      const slug = createSlug(title);
      expect(isSlug(slug)).toBe(slug !== '');
    }),
    { seed },
  );
});

it.each(['-', 'a-', '-a', 'a--b', 'A', 'a b', 'a/b', '..', ''])('%j is not a slug', (text) => {
  expect(isSlug(text)).toBe(false);
});
