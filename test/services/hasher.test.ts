import { hash } from 'bcryptjs';
import { afterEach, expect, it } from 'vitest';
import { createThreadHasher, DUMMY_HASH, type Hasher } from '../../src/services/accounts/hasher.ts';
import { ThreadTimeoutError } from '../../src/thread.ts';

let hasher: Hasher;
afterEach(() => hasher.close());

/** A thread that works on each hash until it receives a message. */
function openSlowThread() {
  const finish: (() => void)[] = [];
  const run = () => new Promise<boolean>((resolve) => finish.push(() => resolve(true)));
  return { finish, thread: { run, close: async () => undefined } };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('hashes one password after the other, and refuses those beyond the limit', async () => {
  const { finish, thread } = openSlowThread();
  hasher = createThreadHasher(thread);
  const waiting = Array.from({ length: 40 }, (_, at) => hasher.compare(`${at}`, DUMMY_HASH));
  await settled();
  expect(finish).toHaveLength(1);
  await expect(hasher.compare('one more', DUMMY_HASH)).rejects.toMatchObject({ code: 'busy', retryAfter: 5 });
  await expect(hasher.hash('one more')).rejects.toMatchObject({ code: 'busy', retryAfter: 5 });
  finish[0]!();
  await waiting[0];
  const later = hasher.compare('another', DUMMY_HASH);
  for (let at = 1; at < 41; at++) {
    await settled();
    finish[at]!();
  }
  expect(await Promise.all([...waiting, later])).toEqual(Array(41).fill(true));
});

it('aborts a hash that takes too long, and continues with the next one', async () => {
  const answers = [() => Promise.reject(new ThreadTimeoutError(15)), () => Promise.resolve(true)];
  const times: unknown[] = [];
  const run = (_job: unknown, within?: number) => {
    times.push(within);
    return answers.shift()!();
  };
  hasher = createThreadHasher({ run, close: async () => undefined });
  const [slow, next] = [hasher.compare('a', DUMMY_HASH), hasher.compare('b', DUMMY_HASH)];
  await expect(slow).rejects.toMatchObject({ code: 'busy', retryAfter: 5 });
  expect(await next).toBe(true);
  expect(times).toEqual([15, 15]);
});

it('rejects at once a hash that would take days', async () => {
  hasher = createThreadHasher();
  expect(await hasher.compare('secret', DUMMY_HASH.replace('$10$', '$31$'))).toBe(false);
  expect(await hasher.compare('secret', 'no hash')).toBe(false);
});

it('checks passwords with hashes of any other cost', async () => {
  hasher = createThreadHasher();
  for (const cost of [4, 9, 11]) {
    const known = await hash('secret', cost);
    expect([await hasher.compare('secret', known), await hasher.compare('wrong', known)]).toEqual([true, false]);
  }
  expect(await hasher.compare('secret', await hasher.hash('secret'))).toBe(true);
});

it('takes as long for a hash of a lower cost, so that the time reveals no account', async () => {
  hasher = createThreadHasher();
  /** Microseconds of the processor: those of the clock depend on how busy the machine is. */
  const timeOf = async (known: string): Promise<number> => {
    const before = process.cpuUsage();
    await hasher.compare('wrong', known);
    return process.cpuUsage(before).user;
  };
  await hasher.compare('wrong', DUMMY_HASH); // compiles the code
  const usual = await timeOf(DUMMY_HASH);
  expect(await timeOf(await hash('secret', 4))).toBeGreaterThan(usual / 4);
});
