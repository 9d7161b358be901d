import { expect, it } from 'vitest';
import { createPing } from '../../src/services/operations/ping.ts';

it('a storage that does not respond is unavailable, and many simultaneous calls share one ping', async () => {
  let pings = 0;
  let answer!: () => void;
  const ping = createPing(
    {
      ping() {
        pings += 1;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    },
    0,
  );
  const away = { status: 'rejected', reason: { code: 'unavailable' } };
  expect(await Promise.allSettled([ping(), ping()])).toMatchObject([away, away]);
  expect(await Promise.allSettled([ping()])).toMatchObject([away]);
  expect(pings).toBe(1);
  answer();
});

it('pings again after each response', async () => {
  const answers = [Promise.resolve(), Promise.reject(new Error('it is unavailable')), Promise.resolve()];
  const ping = createPing({ ping: () => answers.shift()! }, 60_000);
  await ping();
  await expect(ping()).rejects.toThrow('it is unavailable');
  await ping();
  expect(answers).toEqual([]);
});
