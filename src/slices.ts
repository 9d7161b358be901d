import { setImmediate } from 'node:timers/promises';
import { Mutex } from './mutex.ts';

/** Milliseconds of work before the event loop gets control. */
const SLICE = 5;

/** However many lists are processed at the same time, each turn of the event loop runs one slice of one of them. */
const mutex = new Mutex();

/**
 * Calls `step` for each item, in time slices of a few milliseconds: the server answers requests in between. The first
 * slice runs at once. Items may be created lazily: a generator may do the work itself.
 */
export async function eachInSlices<T>(
  items: Iterable<T>,
  step: (item: T, index: number) => unknown = () => undefined,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let next = iterator.next();
  let index = 0;
  const runSlice = (): void => {
    const end = performance.now() + SLICE;
    while (!next.done) {
      step(next.value, index++);
      next = iterator.next();
      if (performance.now() >= end) return;
    }
  };
  runSlice(); // most lists take only one slice
  while (!next.done) {
    await mutex.run(async () => {
      await setImmediate();
      runSlice();
    });
  }
}

/** `items.map(map)` in slices, see `eachInSlices`. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T, index: number) => U): Promise<U[]> {
  const mapped: U[] = [];
  await eachInSlices(items, (item, index) => mapped.push(map(item, index)));
  return mapped;
}
