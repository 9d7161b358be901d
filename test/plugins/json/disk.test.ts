import { type FileHandle, mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { Storage, UserId } from '../../../src/plugin.ts';

let dataDir: string;
let storage: Storage;
let bob: UserId;

const open = (): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined });

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
  storage = await open();
  bob = (await storage.users.create({ name: 'bob', passwordHash: 'x' })).id;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await storage.close();
  await rm(dataDir, { recursive: true });
});

const add = (url: string) => storage.subscriptions.apply(bob, 'phone', [{ url, subscribed: true }]);

/** What Node says when the system answers a call with this error. */
const failure = (code: string, errno: number): Error => Object.assign(new Error(`${code}: write`), { code, errno });

/** The next call of any file fails. */
async function failOnce(call: 'write' | 'datasync', error: Error): Promise<void> {
  const file = await openFile(dataDir);
  vi.spyOn(Object.getPrototypeOf(file) as FileHandle, call).mockRejectedValueOnce(error);
  await file.close();
}

it.each([
  ['a full disk', failure('ENOSPC', -28)],
  ['a quota that is used up', failure(`Unknown system error -${constants.errno.EDQUOT}`, -constants.errno.EDQUOT)],
])('%s is told as that, and passes', async (_, error) => {
  await failOnce('write', error);
  await expect(add('http://example.org/a')).rejects.toMatchObject({ code: 'full' });
  await add('http://example.org/b');
  expect(await storage.subscriptions.current(bob)).toEqual(['http://example.org/b']);
});

it.each(['write', 'datasync'] as const)('a disk that fails at a %s is trusted again after a restart', async (call) => {
  await add('http://example.org/a');
  await failOnce(call, failure('EIO', -5));
  const refusal = { code: 'unavailable', message: expect.stringMatching(/EIO.*then start podsync again/) };
  await expect(add('http://example.org/b')).rejects.toMatchObject(refusal);
  await expect(add('http://example.org/c')).rejects.toMatchObject(refusal);
  await storage.close();
  storage = await open();
  expect(await storage.subscriptions.current(bob)).toEqual(['http://example.org/a']);
  await add('http://example.org/d');
});
