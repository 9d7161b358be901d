import { expect, it } from 'vitest';
import { createThrottle } from '../../src/services/accounts/throttle.ts';

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
