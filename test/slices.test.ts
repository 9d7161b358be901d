import { expect, it } from 'vitest';
import { mapInSlices } from '../src/slices.ts';
import { countTurns, useFastTime } from './event-loop.ts';

const items = Array.from({ length: 1000 }, (_, index) => index);

it('maps in order, and yields to the event loop many times', async () => {
  useFastTime();
  const { result, turns } = await countTurns(() => mapInSlices(items, (index) => index * 2));
  expect(result).toEqual(items.map((index) => index * 2));
  expect(turns).toBeGreaterThan(10);
});

it('maps several lists at the same time in turns, so that the event loop waits for one slice of one list', async () => {
  useFastTime();
  const { result, turns } = await countTurns(() =>
    Promise.all(Array.from({ length: 10 }, () => mapInSlices(items, (_item, index) => index))),
  );
  expect(result).toEqual(Array(10).fill(items));
  expect(turns).toBeGreaterThan(100);
});

it('maps a short list at once', () => {
  const mapped: number[] = [];
  void mapInSlices([1, 2], (item) => mapped.push(item));
  expect(mapped).toEqual([1, 2]);
});

it('rejects with the error of an item, and then maps the next list', async () => {
  const failing = mapInSlices(items, (index) => {
    if (index === 500) throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await mapInSlices(items, (index) => index)).toEqual(items);
});
