import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBodyBudget, type Reservation } from '../../src/http/body-budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MB = 1024 * 1024;
const refused = (code: string, words: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(words), retryAfter: 10 });

/** Admitted bodies in order, and the results of the others. */
function watch(budget = createBodyBudget()) {
  const events: string[] = [];
  return {
    events,
    reserve(sender: string, bytes: number): Reservation {
      const reservation = budget.open(sender);
      reservation
        .reserve(bytes, () => events.push(`${sender} gives way`))
        .then(
          () => events.push(sender),
          (error: { code: string }) => events.push(`${sender} ${error.code}`),
        );
      return reservation;
    },
  };
}
const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

it('admits as many bodies as fit, and the next one when one is done', async () => {
  const { events, reserve } = watch();
  const first = reserve('a', 9 * MB);
  reserve('b', 7 * MB);
  reserve('c', MB);
  await flush();
  expect(events).toEqual(['a', 'b']);
  first.release();
  await flush();
  expect(events).toEqual(['a', 'b', 'c']);
});

it('admits a body larger than the budget if there is no other', async () => {
  const { events, reserve } = watch();
  const small = reserve('a', MB);
  const large = reserve('b', 100 * MB);
  reserve('c', MB);
  small.release();
  await flush();
  expect(events).toEqual(['a', 'b']);
  large.release();
  await flush();
  expect(events).toEqual(['a', 'b', 'c']);
});

it('does not let a sender wait behind all bodies of another one', async () => {
  const { events, reserve } = watch();
  const first = reserve('eve', MB);
  for (let count = 0; count < 8; count += 1) reserve('eve', MB);
  reserve('bob', MB);
  await flush();
  expect(events).toEqual(['eve', 'bob']);
  first.release();
  await flush();
  expect(events).toEqual(['eve', 'bob', 'eve']);
});

it('refuses a sender with many waiting bodies, and still admits those', async () => {
  const budget = createBodyBudget();
  const all = Array.from({ length: 12 }, () => budget.open('eve'));
  const waits = all.map((each) => each.reserve(MB));
  const results = Promise.allSettled(waits.slice(9));
  for (const [index, each] of all.slice(0, 9).entries()) {
    await waits[index];
    each.release();
  }
  const reason = refused('throttled', 'one after another');
  expect(await results).toEqual(Array.from({ length: 3 }, () => ({ status: 'rejected', reason })));
});

it('does not refuse the rest of a body that was admitted, however many bodies of its sender wait', async () => {
  const budget = createBodyBudget();
  const first = budget.open('eve');
  await first.reserve(MB);
  for (let count = 0; count < 8; count += 1) void budget.open('eve').reserve(MB);
  await expect(first.reserve(MB)).resolves.toBeUndefined();
});

it('refuses a body that waited too long, and admits those behind it', async () => {
  const { events, reserve } = watch();
  reserve('a', 10 * MB).complete();
  reserve('b', 10 * MB);
  await vi.advanceTimersByTimeAsync(20_000);
  reserve('c', 6 * MB);
  await vi.advanceTimersByTimeAsync(9999);
  expect(events).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toEqual(['a', 'b busy', 'c']);
});

it('evicts a body that arrives slowly while others wait, but not one that has arrived', async () => {
  const { events, reserve } = watch();
  reserve('arrived', 4 * MB).complete();
  const slow = reserve('slow', 12 * MB);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events).toEqual(['arrived', 'slow']);
  reserve('next', 12 * MB);
  await flush();
  expect(events).toEqual(['arrived', 'slow', 'slow gives way']);
  slow.release();
  await flush();
  expect(events).toEqual(['arrived', 'slow', 'slow gives way', 'next']);
});

it('evicts a slow body behind a compressed one, which has arrived when its size is known', async () => {
  const budget = createBodyBudget();
  const { events, reserve } = watch(budget);
  await budget.open('compressed').reserve(4 * MB);
  reserve('slow', 12 * MB);
  await vi.advanceTimersByTimeAsync(60_000);
  reserve('next', 12 * MB);
  await flush();
  expect(events).toEqual(['slow', 'slow gives way']);
});

it('gives a body its time to arrive while others wait', async () => {
  const { events, reserve } = watch();
  reserve('slow', 12 * MB);
  reserve('next', 12 * MB);
  await vi.advanceTimersByTimeAsync(9999);
  expect(events).toEqual(['slow']);
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toEqual(['slow', 'slow gives way']);
});

it('releases a body whose client has disconnected', async () => {
  const { events, reserve } = watch();
  const first = reserve('a', 16 * MB);
  reserve('b', 16 * MB).release();
  reserve('c', 16 * MB);
  first.release();
  await vi.advanceTimersByTimeAsync(5000);
  expect(events).toEqual(['a', 'c']);
});
