import { expect, it } from 'vitest';
import { createThrottle } from '../../src/services/accounts/throttle.ts';
import type { AttemptStore } from '../../src/storage/stores.ts';

it('a guess that reaches a limit is refused, even if the limit ends before earlier counts are undone', async () => {
  let now = 1_700_000_000;
  let added = 0;
  const attempts = {
    add: async () => (++added === 2 ? 1 : 0),
    wait: async () => 0,
    refund: async () => void (now += 1),
  };
  const throttle = createThrottle(attempts, () => now);
  const guess = { login: 'bob', address: '192.0.2.1', isShared: false, user: undefined };
  let compared = 0;
  const attempt = throttle.attempt(guess, async () => {
    compared += 1;
    return false;
  });
  await expect(attempt).rejects.toMatchObject({ code: 'throttled', retryAfter: 1 });
  expect(compared).toBe(0);
});

it('guesses that are refused to one network do not lock out others', async () => {
  const counts = new Map<string, number>();
  const attempts: AttemptStore = {
    async add(key, { most }) {
      const count = counts.get(key) ?? 0;
      if (count >= most) return 60;
      counts.set(key, count + 1);
      return 0;
    },
    wait: async () => 0,
    refund: async (key) => void counts.set(key, counts.get(key)! - 1),
  };
  const throttle = createThrottle(attempts, () => 1_700_000_000);
  const guess = { login: 'bob', address: '192.0.2.1', isShared: false, user: undefined };
  const outcomes: (boolean | 'refused')[] = [];
  for (let at = 0; at < 100; at++) {
    outcomes.push(await throttle.attempt(guess, async () => false).catch(() => 'refused' as const));
  }
  expect(outcomes).toEqual([...Array(10).fill(false), ...Array(90).fill('refused')]);
  expect(await throttle.attempt({ ...guess, address: '198.51.100.7' }, async () => true)).toBe(true);
});
