import { expect, it } from 'vitest';
import { openTestServer, type TestServer } from '../server.ts';
import { feed, media, MYGPO, ODD, open, pull, readAll } from './pulling.ts';

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

/** The account as a set: in which order the actions came depends on where a pull was broken off. */
async function readSet(server: TestServer): Promise<unknown> {
  const all = (await readAll(server, EVERYTHING)) as Record<string, any>;
  all['/api/2/episodes/bob.json'].actions.sort((a: any, b: any) => (a.episode < b.episode ? -1 : 1));
  return all;
}

it('broken off at any question, and run again, it comes to the same', async () => {
  const other = await open({ ...ODD, actions: many }, { ...MYGPO, cap: 500 });
  const whole = await openTestServer();
  await pull(whole, other.url);
  const questions = other.asked.length;
  const expected = await readSet(whole);
  expect((expected as Record<string, any>)['/api/2/episodes/bob.json'].actions).toHaveLength(700);

  for (let broken = 1; broken <= questions; broken++) {
    const to = await openTestServer();
    let asked = 0;
    other.interfere = () => {
      if (++asked >= broken) throw new Error('gone');
      return undefined;
    };
    await expect(pull(to, other.url)).rejects.toThrow(/the connection broke off/);
    other.interfere = () => undefined;
    await pull(to, other.url);
    expect(await readSet(to)).toEqual(expected);
  }
});

it('broken off before any piece is stored, and run again, it comes to the same', async () => {
  const other = await open({ ...ODD, actions: many.slice(0, 20) }, MYGPO);
  const whole = await openTestServer();
  let pieces = 0;
  await pull(whole, other.url, () => void pieces++);
  const expected = await readSet(whole);

  for (let broken = 1; broken <= pieces; broken++) {
    const to = await openTestServer();
    let taken = 0;
    const stop = (): void => {
      if (++taken === broken) throw new Error('stopped here');
    };
    await expect(pull(to, other.url, stop)).rejects.toThrow('stopped here');
    await pull(to, other.url);
    await pull(to, other.url); // and once more, though nothing was missing
    expect(await readSet(to)).toEqual(expected);
  }
});
