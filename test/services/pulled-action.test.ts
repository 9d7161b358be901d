import { expect, it } from 'vitest';
import { repairAction } from '../../src/services/transfer/pulled-action.ts';

const ACTION = {
  podcast: 'http://example.org/feed',
  episode: 'http://example.org/1.mp3',
  action: 'play',
  timestamp: 1,
};

it.each([
  [
    { started: 1.5, position: 2.5, total: '10' },
    { started: 1, position: 2, total: '10' },
  ],
  [{ position: '3.7' }, { position: 3 }],
  [{ position: '00:01:00' }, { position: 60 }],
  [{ position: '01:05' }, { position: 65 }],
  [{ timestamp: 1_704_067_200_000 }, { timestamp: 1_704_067_200 }],
])('reads the times in %j as %j, and loses nothing', (given, expected) => {
  expect(repairAction({ ...ACTION, ...given })).toEqual({ action: { ...ACTION, ...expected }, notes: [] });
});

it('omits and reports an invalid time, and keeps the GUID', () => {
  const mended = repairAction({ ...ACTION, position: '1:99', guid: 'urn:1' });
  expect(mended).toEqual({ action: { ...ACTION, guid: 'urn:1' }, notes: [expect.stringContaining('were left out')] });
});

it('keeps 255 characters of a longer device id', () => {
  const repaired = repairAction({ ...ACTION, device: '𝒜'.repeat(300) });
  expect(repaired).toEqual({ action: { ...ACTION, device: '𝒜'.repeat(255) }, notes: [] });
});
