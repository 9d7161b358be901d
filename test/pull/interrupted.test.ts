import { expect, it } from 'vitest';
import { openTestServer, type TestServer } from '../server.ts';
import { feed, media, GPODDER_NET, QUIRKY, open, pull, readAll } from './fixtures.ts';

const many = Array.from({ length: 700 }, (_, n) => ({
  podcast: feed(n % 3),
  episode: media(n),
  action: 'download',
  timestamp: n % 10 === 0 ? null : new Date((1_600_000_000 + n * 60) * 1000).toISOString(),
}));

const EVERYTHING = [
  '/api/2/devices/bob.json',
  '/subscriptions/bob.json',
  '/api/2/episodes/bob.json',
  '/api/2/lists/bob.json',
  '/api/2/lists/bob/list/news.json',
  '/api/2/favorites/bob.json',
  '/api/2/settings/bob/device.json?device=phone',
];

/** The account with its actions sorted, as their order depends on where a pull was interrupted. */
async function readSet(server: TestServer): Promise<unknown> {
  const all = (await readAll(server, EVERYTHING)) as Record<string, any>;
  all['/api/2/episodes/bob.json'].actions.sort((a: any, b: any) => (a.episode < b.episode ? -1 : 1));
  return all;
}

it('has the same result if it is interrupted at any request and repeated', { timeout: 600_000 }, async () => {
  const other = await open({ ...QUIRKY, actions: many }, { ...GPODDER_NET, cap: 500 });
  const whole = await openTestServer();
  await pull(whole, other.url);
  const requests = other.requests.length;
  const expected = await readSet(whole);
  expect((expected as Record<string, any>)['/api/2/episodes/bob.json'].actions).toHaveLength(700);

  for (let interruptedAt = 1; interruptedAt <= requests; interruptedAt++) {
    const to = await openTestServer();
    let received = 0;
    other.intercept = () => {
      if (++received >= interruptedAt) throw new Error('closed');
      return undefined;
    };
    await expect(pull(to, other.url)).rejects.toThrow(/the connection was closed/);
    other.intercept = () => undefined;
    await pull(to, other.url);
    expect(await readSet(to)).toEqual(expected);
  }
});

it('has the same result if it is interrupted before any chunk is stored and repeated', async () => {
  const other = await open({ ...QUIRKY, actions: many.slice(0, 20) }, GPODDER_NET);
  const whole = await openTestServer();
  let chunks = 0;
  await pull(whole, other.url, () => void chunks++);
  const expected = await readSet(whole);

  for (let interruptedAt = 1; interruptedAt <= chunks; interruptedAt++) {
    const to = await openTestServer();
    let imported = 0;
    const stop = (): void => {
      if (++imported === interruptedAt) throw new Error('stopped here');
    };
    await expect(pull(to, other.url, stop)).rejects.toThrow('stopped here');
    await pull(to, other.url);
    await pull(to, other.url); // once more, although nothing is missing
    expect(await readSet(to)).toEqual(expected);
  }
});
