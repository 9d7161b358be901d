import { expect, it, onTestFinished, vi } from 'vitest';
import { createSchedule } from '../../src/services/operations/schedule.ts';

it('runs now and at each interval, never twice at once, and no more after it was stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => void ends.push(resolve));
  const { start, stop } = createSchedule(work, 1000);
  start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(1);
  ends[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);

  const isStopped = vi.fn();
  const stopped = stop().then(isStopped);
  await vi.advanceTimersByTimeAsync(5000);
  expect(isStopped).not.toHaveBeenCalled();
  ends[1]!();
  await stopped;
  expect(ends).toHaveLength(2);
});
