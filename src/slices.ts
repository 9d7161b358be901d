import { setImmediate } from 'node:timers/promises';
import { Turns } from './turns.ts';

/** Milliseconds of work after which everybody else has a turn. */
const SLICE = 5;

/** However much is done at the same time: one slice of one of them in each turn of the event loop. */
const turns = new Turns<'slices'>();

/**
 * Goes through all items in slices of a few milliseconds, so that requests are answered meanwhile; what fits into the
 * first slice is done at once. An item may be made when it is its turn, as by a generator.
 */
export async function eachInSlices<T>(items: Iterable<T>, step: (item: T) => unknown): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const runSlice = (): boolean => {
    const end = performance.now() + SLICE;
    do {
      const { done, value } = iterator.next();
      if (done) return true;
      step(value);
    } while (performance.now() < end);
    return false;
  };
  for (let isOver = runSlice(); !isOver;) {
    isOver = await turns.take('slices', async () => {
      await setImmediate();
      return runSlice();
    });
  }
}

/** `items.map(map)` in slices, see `eachInSlices`. */
export async function mapInSlices<T, U>(items: readonly T[], map: (item: T, index: number) => U): Promise<U[]> {
  const mapped: U[] = [];
  await eachInSlices(items, (item) => mapped.push(map(item, mapped.length)));
  return mapped;
}
