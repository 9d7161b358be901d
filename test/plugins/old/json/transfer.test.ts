import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { Storage } from '../../../../src/old-plugin.ts';
import { A, account, action, NOW } from '../arriving.ts';

let folder: string;
let opened: Storage[];
const open = async (name: string): Promise<Storage> => {
  const options = json.parse(join(folder, name));
  const storage = await json.open(options, { dataDir: folder, now: () => NOW, overlap: 120, log: () => undefined });
  opened.push(storage);
  return storage;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podsync-transfer-'));
  opened = [];
});
afterEach(async () => {
  for (const storage of opened) await storage.close();
  await rm(folder, { recursive: true });
});

/** The folder as a process leaves it that is killed now. */
async function kill(from: string, to: string): Promise<void> {
  await cp(join(folder, from), join(folder, to), { recursive: true });
}

it('a process that is killed in an import leaves nothing of it', async () => {
  const storage = await open('data');
  await storage.transfer.importUser(account(() => kill('data', 'killed')));
  expect(await readdir(join(folder, 'killed', 'users'))).toHaveLength(1);
  const after = await open('killed');
  expect(await readdir(join(folder, 'killed', 'users'))).toEqual([]);
  expect(await after.users.find('bob')).toBeUndefined();
  expect(await after.podcasts.find([A])).toEqual([undefined]);
  await after.transfer.importUser(account());
});

it('a process that is killed right after an import leaves all of it', async () => {
  const storage = await open('data');
  const id = await storage.transfer.importUser(account());
  await kill('data', 'killed');
  const after = await open('killed');
  expect(await after.users.find('bob')).toMatchObject({ id, createdAt: NOW });
  expect(await after.podcasts.find([A])).toMatchObject([{ url: A, subscribers: 1 }]);
  expect((await after.sessions.find('digest'))?.user.id).toBe(id);
  await after.actions.append(id, [action(1), action(2499)]);
  const numbers: number[] = [];
  for await (const page of (await after.actions.query(id, {})).pages) {
    numbers.push(...page.map(({ timestamp }) => timestamp));
  }
  expect(numbers).toEqual(Array.from({ length: 2500 }, (_, n) => n));
});

it('a process that is killed right after clearing leaves nothing', async () => {
  const storage = await open('data');
  await storage.transfer.importUser(account());
  await storage.transfer.clear();
  const carol = await storage.users.create({ name: 'carol', passwordHash: 'x' });
  await storage.subscriptions.apply(carol.id, 'phone', [{ url: 'http://example.org/b', subscribed: true }]);
  await kill('data', 'killed');
  const after = await open('killed');
  expect(await after.users.find('bob')).toBeUndefined();
  expect(await after.podcasts.find([A, 'http://example.org/b'])).toMatchObject([undefined, { subscribers: 1 }]);
  expect(await after.subscriptions.current(carol.id)).toEqual(['http://example.org/b']);
});

it('a broken-off import leaves no files', async () => {
  const storage = await open('data');
  const cut = async (): Promise<void> => {
    throw new Error('cut');
  };
  await expect(storage.transfer.importUser(account(cut))).rejects.toThrow('cut');
  expect(await readdir(join(folder, 'data', 'users'))).toEqual([]);
});
