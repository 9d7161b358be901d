import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { createThrottle } from '../../src/services/accounts/throttle.ts';
import type { AttemptStore } from '../../src/storage/stores.ts';
import { openTestServer } from '../server.ts';

/** The throttle of a server, and its clock. */
async function open() {
  const { storage, clock } = await openTestServer();
  return { throttle: createThrottle(storage.attempts, () => clock.now), clock };
}

const BOB = { login: 'bob', isShared: false, user: 'bob' as UserId };
const HOME = { ...BOB, address: '192.0.2.1' };
const right = async (): Promise<boolean> => true;
const wrong = async (): Promise<boolean> => false;

/** A comparison that has begun when `begun` resolves, and ends with `end`. */
function createComparison() {
  let begin!: () => void;
  let end!: (isRight: boolean) => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const result = new Promise<boolean>((resolve) => (end = resolve));
  const compare = (): Promise<boolean> => {
    begin();
    return result;
  };
  return { compare, begun, end };
}

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
  await expect(attempt).rejects.toMatchObject({
    code: 'throttled',
    retryAfter: 1,
    message: 'too many wrong passwords; try again in 1 second',
  });
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

it('a network stays known for a month after its last successful login, not its first', async () => {
  const { throttle, clock } = await open();
  for (const days of [0, 20]) {
    clock.now += days * 86_400;
    await throttle.attempt(HOME, right);
  }
  clock.now += 20 * 86_400;
  for (let at = 0; at < 50; at++) await throttle.attempt({ ...BOB, address: `203.0.113.${at}` }, wrong);
  await expect(throttle.attempt({ ...BOB, address: '198.51.100.7' }, right)).rejects.toThrow('too many');
  expect(await throttle.attempt(HOME, right)).toBe(true);
});

it('a login from a known network does not wait for a guess from elsewhere', async () => {
  const { throttle } = await open();
  await throttle.attempt(HOME, right);
  const { compare, begun, end } = createComparison();
  const guess = throttle.attempt({ ...BOB, address: '198.51.100.7' }, compare);
  await begun;
  expect(await throttle.attempt(HOME, right)).toBe(true);
  end(false);
  await guess;
});

it('a right password that reached the limit of its site blocks nobody after it was compared', async () => {
  const { throttle } = await open();
  const inSite = (at: number) => ({ ...BOB, user: undefined, login: `user${at}`, address: `2001:db8:1:${at}::/64` });
  for (let at = 0; at < 199; at++) await throttle.attempt(inSite(at), wrong);
  const { compare, begun, end } = createComparison();
  const last = throttle.attempt(inSite(199), compare);
  await begun;
  await expect(throttle.attempt(inSite(200), right)).rejects.toThrow('too many');
  end(true);
  expect(await last).toBe(true);
  await throttle.check(inSite(201));
});
