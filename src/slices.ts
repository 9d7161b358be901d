import { setImmediate } from 'node:timers/promises';
import { KeyedMutex } from './keyed-mutex.ts';

/** Milliseconds of work before the event loop gets control. */
const SLICE = 5;

/** However many lists are processed at the same time, each turn of the event loop runs one slice of one of them. */
const mutex = new KeyedMutex<'slice'>();

/**
 * Calls `step` for each item, in time slices of a few milliseconds: the server answers requests in between. The first
 * slice runs at once. Items may be created lazily: a generator may do the work itself.
 */
export async function eachInSlices<T>(items: Iterable<T>, step: (item: T) => unknown = () => undefined): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let next = iterator.next();
  const runSlice = (): void => {
    const end = performance.now() + SLICE;
    do {
      step(next.value as T);
      next = iterator.next();
    } while (!next.done && performance.now() < end);
  };
  if (!next.done) runSlice();
  while (!next.done) {
    await mutex.run('slice', async () => {
      await setImmediate();
      runSlice();
    });
  }
}

/** `items.map(map)` in slices, see `eachInSlices`. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T, index: number) => U): Promise<U[]> {
  const mapped: U[] = [];
  await eachInSlices(items, (item) => mapped.push(map(item, mapped.length)));
  return mapped;
}

/** Runs a generator in slices, see `eachInSlices`: its result, or a promise of it if that takes more than one slice. */
export function runInSlices<T>(steps: Generator<void, T>): T | Promise<T> {
  let result: { value: T } | undefined;
  const run = function* (): Generator<void> {
    result = { value: yield* steps };
  };
  const running = eachInSlices(run());
  return result ? (result as { value: T }).value : running.then(() => result!.value);
}
