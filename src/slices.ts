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
  const rest = iterate(items[Symbol.iterator](), step);
  if (rest) await rest; // most lists take only one slice
}

/** `items.map(map)` in slices, see `eachInSlices`. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T, index: number) => U): Promise<U[]> {
  const mapped: U[] = [];
  await eachInSlices(items, (item, index) => mapped.push(map(item, index)));
  return mapped;
}

/** Runs a generator in slices, see `eachInSlices`: its result, or a promise of it if that takes more than one slice. */
export const runInSlices = <T>(steps: Generator<void, T>): T | Promise<T> => iterate(steps, () => undefined);

/** Calls `step` for each item in slices, and returns the result of the iterator. */
function iterate<T, Result>(
  iterator: Iterator<T, Result>,
  step: (item: T, index: number) => unknown,
): Result | Promise<Result> {
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
  const runOthers = async (): Promise<Result> => {
    while (!next.done) {
      await mutex.run(async () => {
        await setImmediate();
        runSlice();
      });
    }
    return next.value;
  };
  runSlice();
  return next.done ? next.value : runOthers();
}
