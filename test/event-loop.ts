import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Until the test has ended, each look at the time takes 0.1 ms: a slice of `src/slices.ts` ends after 50 items. */
export function useFastTime(): void {
  let now = 0;
  const time = vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.1));
  onTestFinished(() => time.mockRestore());
}

/** The result of an operation, and the turns that the event loop had meanwhile. `step` runs in each of them. */
export async function countTurns<T>(
  operation: () => Promise<T>,
  step = (): void => undefined,
): Promise<{ result: T; turns: number }> {
  const state = { isOver: false };
  const running = operation().finally(() => (state.isOver = true));
  let turns = 0;
  for (; !state.isOver; turns++) {
    step();
    await setImmediate();
  }
  return { result: await running, turns };
}
