import { describe, expect, it } from 'vitest';
import { createMaintenance } from '../../src/services/operations/maintenance.ts';
import { openTestServer } from '../server.ts';

it('deletes expired sessions and updates the toplist', async () => {
  const { services, storage, clock, request } = await openTestServer();
  await request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body: ['http://example.org/a'] });
  clock.now += 2 * 365 * 86_400;
  services.maintenance.start();
  await services.maintenance.stop();
  expect(await storage.sessions.deleteExpired()).toBe(0);
  clock.now += 7 * 86_400;
  expect((await services.directory.toplist(1))[0]?.positionLastWeek).toBe(1);
});

it('removes abandoned accounts, and logs what it corrected and what went wrong', async () => {
  const logged: string[] = [];
  const log = (_level: string, message: string): void => void logged.push(message);
  const { storage } = await openTestServer();
  let removals = 0;
  const users = { ...storage.users, removeAbandoned: async () => void (removals += 1) };
  for (const rebuildToplist of [
    async () => ({ podcasts: 9, corrected: 2 }),
    async () => ({ podcasts: 9, corrected: 0 }),
    () => Promise.reject(new Error('the storage is unavailable')),
  ]) {
    const podcasts = { ...storage.podcasts, rebuildToplist };
    const maintenance = createMaintenance({ ...storage, users, podcasts }, log);
    maintenance.start();
    await maintenance.stop();
  }
  expect(logged).toEqual([
    expect.stringContaining('2 podcasts'),
    expect.stringContaining('the storage is unavailable'),
  ]);
  expect(removals).toBe(3);
});

describe('on the directory', () => {
  const openWith = async (urls: readonly string[]) => {
    const { services, storage, clock, request } = await openTestServer();
    const { podcasts } = storage;
    const subscribe = (body: readonly string[]) =>
      request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body });
    const maintain = async (days: number): Promise<void> => {
      clock.now += days * 86_400;
      services.maintenance.start();
      await services.maintenance.stop();
    };
    await subscribe(urls);
    return { podcasts, subscribe, maintain };
  };

  it('adds podcasts beyond the number of a day', async () => {
    const urls = Array.from({ length: 2001 }, (_, n) => `http://example.org/${n}`);
    const { podcasts, maintain } = await openWith(urls);
    expect(await podcasts.find(urls.slice(-1))).toEqual([undefined]);
    await maintain(1);
    expect(await podcasts.find(urls.slice(-1))).toMatchObject([{ subscribers: 1 }]);
  });

  it('removes podcasts that nobody has used for a month', async () => {
    const urls = ['http://example.org/a'];
    const { podcasts, subscribe, maintain } = await openWith(urls);
    await subscribe([]);
    await maintain(1);
    expect(await podcasts.find(urls)).toMatchObject([{ subscribers: 0 }]);
    await maintain(32);
    expect(await podcasts.find(urls)).toEqual([undefined]);
  });
});
