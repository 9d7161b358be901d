import { expect, it, onTestFinished, vi } from 'vitest';
import { formatTime, toClock, toDuration } from '../../src/pages/parts/time.ts';

it.each([
  [0, '0 min'],
  [1, '1 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3569, '59 min'],
  [3570, '1 h'],
  [3900, '1 h 5 min'],
  [1000 * 3600 - 60, '999 h 59 min'],
  [1000 * 3600, '1,000 h'],
])('%i seconds last %s', (seconds, text) => {
  expect(toDuration(seconds)).toBe(text);
});

it.each([
  [5, '0:05'],
  [245, '4:05'],
  [3600, '1:00:00'],
  [3723, '1:02:03'],
  [100 * 3600, '100:00:00'],
])('a player is at second %i at %s', (seconds, text) => {
  expect(toClock(seconds)).toBe(text);
});

it('times are in UTC on a server in another time zone', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  onTestFinished(() => void vi.unstubAllEnvs());
  const at = Date.UTC(2026, 11, 31, 20) / 1000; // 2027 in Tokyo
  const texts = (['day', 'date', 'month', 'year', 'time', 'minute'] as const).map((as) => formatTime(at, as));
  expect(texts).toEqual(['31 Dec', '31 Dec 2026', 'Dec 2026', '2026', '20:00', '31 Dec 2026, 20:00']);
});
