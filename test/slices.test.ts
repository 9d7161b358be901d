import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { mapInSlices } from '../src/slices.ts';

const work = (index: number): number => {
  for (const end = performance.now() + 0.1; performance.now() < end;);
  return index * 2;
};
const items = Array.from({ length: 1000 }, (_, index) => index);

it('maps in order, and yields to the event loop many times', async () => {
  const state = { isOver: false };
  const mapping = mapInSlices(items, work).finally(() => (state.isOver = true));
  let turns = 0;
  for (; !state.isOver; turns++) await setImmediate();
  expect(await mapping).toEqual(items.map((index) => index * 2));
  expect(turns).toBeGreaterThan(10);
});

it('rejects with the error of an item, and then maps the next list', async () => {
  const failing = mapInSlices(items, (index) => {
    if (index === 500) throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await mapInSlices(items, (index) => index)).toEqual(items);
});
