import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import type { Log } from '../../src/storage/stores.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

function open(without: string, log: Log = () => undefined) {
  const context = { dataDir: fixtures, now: () => 0, overlap: 120, log };
  return openStorage(`./lacking.js:${without}`, fixtures, context);
}

it.each([
  ['commit', 'commit'],
  ['list get', 'get, list'],
  ['isShared close', 'isShared, close'],
  ['all', 'isShared, get, list, commit, ping, verify, close'],
])('says what the store of a plugin lacks: %s', async (without, missing) => {
  await expect(open(without)).rejects.toThrow(
    `storage plugin: the store of memory has no ${missing}; the fault is in the plugin, as no member is optional`,
  );
});

it('names the plugin that failed to open, and the place, without the password in its message', async () => {
  const context = { dataDir: fixtures, now: () => 0, overlap: 120, log: () => undefined };
  const opening = openStorage('./cannot-open.js:data', fixtures, context);
  await expect(opening).rejects.toThrow(
    /^storage plugin: good failed to open: no way to postgres:\/\/ann:\*\*\*@example\.org\/\S* \(.*cannot-open\.js:6:\d+\); the fault is in the plugin$/,
  );
});

it('closes a store that it refuses', async () => {
  const said: string[] = [];
  await expect(open('list', (_level, message) => said.push(message))).rejects.toThrow('has no list;');
  expect(said).toEqual(['closed']);
});

it('opens a complete store', async () => {
  await expect((await open('')).ping()).resolves.toBeUndefined();
});
