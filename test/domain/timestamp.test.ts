import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp } from '../../src/domain/timestamp.ts';
import { seed } from '../seed.ts';

const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

describe('timestamps of clients', () => {
  it.each<[unknown, string]>([
    ['2024-01-02T03:04:05', '2024-01-02T03:04:05'],
    ['2024-01-02 03:04:05', '2024-01-02T03:04:05'],
    ['2024-01-02t03:04:05z', '2024-01-02T03:04:05'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05'],
    ['2024-01-02T03:04', '2024-01-02T03:04:00'],
    // fractions are dropped
    ['2024-01-02T03:04:05.999', '2024-01-02T03:04:05'],
    ['2024-01-02T03:04:05,9Z', '2024-01-02T03:04:05'],
    ['2024-01-02T03:04:05.123456789+00:00', '2024-01-02T03:04:05'],
    // offsets are converted
    ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05'],
    ['2024-01-02T03:04:05+0200', '2024-01-02T01:04:05'],
    ['2024-01-02T03:04:05+02', '2024-01-02T01:04:05'],
    ['2024-01-02T03:04:05-05:30', '2024-01-02T08:34:05'],
    ['2024-12-31T23:30:00-01:00', '2025-01-01T00:30:00'],
    ['1969-12-31T23:00:00-02:00', '1970-01-01T01:00:00'],
    // the calendar
    ['1970-01-01T00:00:00', '1970-01-01T00:00:00'],
    ['2024-02-29T00:00:00', '2024-02-29T00:00:00'],
    ['2000-02-29T00:00:00', '2000-02-29T00:00:00'],
    ['9999-12-31T23:59:59', '9999-12-31T23:59:59'],
    // seconds since 1970
    [0, '1970-01-01T00:00:00'],
    [1704164645, '2024-01-02T03:04:05'],
    [1704164645.99, '2024-01-02T03:04:05'],
    [LATEST, '9999-12-31T23:59:59'],
  ])('%j is %s', (value, expected) => {
    expect(formatTimestamp(parseTimestamp(value))).toBe(expected);
  });

  it.each<[unknown]>([
    ['yesterday'],
    [' 2024-01-02T03:04:05'],
    ['2024-01-02'],
    ['2024-01-02T03'],
    ['2024-1-2T03:04:05'],
    ['20240102T030405Z'],
    ['2024-01-02T03:04:05 UTC'],
    ['2024-01-02T03:04:05+2'],
    ['2024-01-02T03:04:05+24:00'],
    ['2024-01-02T03:04:05+02:60'],
    ['2024-00-02T03:04:05'],
    ['2024-13-02T03:04:05'],
    ['2024-01-00T03:04:05'],
    ['2024-01-32T03:04:05'],
    ['2023-02-29T00:00:00'],
    ['2100-02-29T00:00:00'],
    ['2024-04-31T00:00:00'],
    ['2024-01-02T24:00:00'],
    ['2024-01-02T03:60:00'],
    ['2024-01-02T03:04:60'],
    ['1969-12-31T23:59:59'],
    ['1970-01-01T00:00:00+00:01'],
    ['9999-12-31T23:59:59-00:01'],
    ['0070-01-01T00:00:00'],
    ['10000-01-01T00:00:00'],
    ['1704164645'],
    [-1],
    [-0.5],
    [LATEST + 1],
    [Date.UTC(2024, 0)], // milliseconds
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [true],
    [{}],
    [['2024-01-02T03:04:05']],
  ])('%j is refused', (value) => {
    expect(() => parseTimestamp(value)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});

it('parses every formatted second, in any zone', () => {
  const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  fc.assert(
    fc.property(
      fc.integer({ min: 86_400, max: LATEST - 86_400 }),
      minutes,
      fc.constantFrom('T', ' '),
      (at, offset, gap) => {
        expect(parseTimestamp(formatTimestamp(at).replace('T', gap))).toBe(at);
        const [hour, minute] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
          `${n}`.padStart(2, '0'),
        );
        const zone = `${offset < 0 ? '-' : '+'}${hour}:${minute}`;
        expect(parseTimestamp(formatTimestamp(at + offset * 60) + zone)).toBe(at);
      },
    ),
    { seed, numRuns: 2000 },
  );
});
