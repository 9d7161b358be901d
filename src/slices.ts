import { setImmediate } from 'node:timers/promises';
import { Turns } from './turns.ts';

/** Milliseconds of work after which everybody else has a turn. */
const SLICE = 5;
/** Up to this many items are mapped at once, ahead of those who wait for a slice. */
const FEW = 100;

/** However many lists are mapped at the same time: one slice of one of them in each turn of the event loop. */
const turns = new Turns<'slices'>();

/** `items.map(map)` for many items, in slices of a few milliseconds, so that requests are answered meanwhile. */
export async function mapInSlices<T, U>(items: readonly T[], map: (item: T, index: number) => U): Promise<U[]> {
  if (items.length <= FEW) return items.map(map);
  const mapped: U[] = [];
  const mapSlice = async (): Promise<void> => {
    const end = performance.now() + SLICE;
    while (mapped.length < items.length && performance.now() < end) {
      mapped.push(map(items[mapped.length]!, mapped.length));
    }
    await setImmediate();
  };
  while (mapped.length < items.length) await turns.take('slices', mapSlice);
  return mapped;
}
