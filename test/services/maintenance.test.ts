import { expect, it } from 'vitest';
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
