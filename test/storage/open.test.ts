import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Log } from '../../src/storage/stores.ts';
import { openStorage } from '../../src/storage/open.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

function open(without: string, log: Log = () => undefined) {
  const context = { dataDir: fixtures, now: () => 0, overlap: 120, log };
  return openStorage(`./lacking.js:${without}`, fixtures, context);
}

const ALL =
  'users, sessions, attempts, devices, subscriptions, actions, settings, lists, podcasts, transfer, ping, verify, close';

it.each([
  ['users', 'users'],
  ['users.find users.rename', 'users.find, users.rename'],
  ['lists podcasts.topTags ping', 'lists, podcasts.topTags, ping'],
  ['sessions.save close', 'sessions.save, close'],
  ['attempts.add attempts.wait attempts.takeBack', 'attempts'],
  ['all', ALL],
])('says what the storage of a plugin lacks: %s', async (without, missing) => {
  await expect(open(without)).rejects.toThrow(
    `storage plugin: what memory opens is not a whole storage: it has no ${missing}; ` +
      'the fault is in the plugin, as nothing of the contract is optional',
  );
});

it('says which plugin failed to open, and where, without the password that it says', async () => {
  const context = { dataDir: fixtures, now: () => 0, overlap: 120, log: () => undefined };
  const opening = openStorage('./cannot-open.js:data', fixtures, context);
  await expect(opening).rejects.toThrow(
    /^storage plugin: good failed to open: no way to postgres:\/\/ann:\*\*\*@example\.org\/\S* \(.*cannot-open\.js:6:\d+\); the fault is in the plugin$/,
  );
});

it('closes what it refuses', async () => {
  const said: string[] = [];
  await expect(open('users', (_level, message) => said.push(message))).rejects.toThrow('it has no users;');
  expect(said).toEqual(['closed']);
});

it('opens a storage that has all', async () => {
  await expect((await open('')).ping()).resolves.toBeUndefined();
});
