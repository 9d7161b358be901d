import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatPosition, parsePosition } from '../../src/domain/position.ts';
import { seed } from '../seed.ts';

it.each([
  ['00:00:00', 0],
  ['01:23:45', 5025],
  ['1:02:03', 3723],
  ['12:34', 754],
  ['90:00', 5400],
  ['100:00:00', 360_000],
  ['596523:14:07', 2 ** 31 - 1],
])('%s is %i seconds', (text, seconds) => {
  expect(parsePosition(text)).toBe(seconds);
});

it.each([
  '',
  '45',
  '::',
  '01:23:60',
  '01:60:00',
  '12:60',
  '1:2:3',
  '-1:00',
  '01:23:45.5',
  ' 01:23:45',
  '01:23:45:00',
  '596523:14:08',
  '9'.repeat(400) + ':00',
])('%j is refused', (text) => {
  expect(() => parsePosition(text)).toThrow(expect.objectContaining({ code: 'invalid' }));
});

it.each([
  [0, '00:00:00'],
  [59, '00:00:59'],
  [5025, '01:23:45'],
  [360_000, '100:00:00'],
])('formats %i seconds as %s', (seconds, text) => {
  expect(formatPosition(seconds)).toBe(text);
});

it('parses every formatted position', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seconds) => {
      expect(parsePosition(formatPosition(seconds))).toBe(seconds);
    }),
    { seed, numRuns: 1000 },
  );
});
