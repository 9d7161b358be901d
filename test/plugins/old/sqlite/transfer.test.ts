import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import Driver from 'better-sqlite3';
import sqlite from '../../../../plugins/old/sqlite/index.ts';
import type { Storage, UserRecord } from '../../../../src/old-plugin.ts';
import { A, account, NOW } from '../arriving.ts';

let folder: string;
let opened: Storage[];
const open = async (name: string): Promise<Storage> => {
  const options = sqlite.parse(join(folder, name, 'podsync.db'));
  const storage = await sqlite.open(options, { dataDir: folder, now: () => NOW, overlap: 120, log: () => undefined });
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

/** The file as a process leaves it that is killed now. */
async function kill(from: string, to: string): Promise<void> {
  await cp(join(folder, from), join(folder, to), { recursive: true });
}

function count(name: string, table: string): number {
  const connection = new Driver(join(folder, name, 'podsync.db'));
  const { count: rows } = connection.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${table}`).get()!;
  connection.close();
  return rows;
}

it('a process that is killed in an import leaves nothing of it', async () => {
  const storage = await open('data');
  await storage.transfer.importUser(account(() => kill('data', 'killed')));
  await cp(join(folder, 'killed'), join(folder, 'looked at'), { recursive: true });
  // Not all: the last page is on its way into the file.
  expect(count('looked at', 'actions')).toBeGreaterThan(0);
  const after = await open('killed');
  expect(await after.users.find('bob')).toBeUndefined();
  expect(await after.podcasts.find([A])).toEqual([undefined]);
  await after.close();
  // Each opening removes a slice at least.
  for (let slices = 0; slices < 3; slices += 1) await (await open('killed')).close();
  expect(count('killed', 'actions')).toBe(0);
  expect(count('killed', 'arriving_users') + count('killed', 'removed_users')).toBe(0);
  await (await open('killed')).transfer.importUser(account());
});

/** The storage is cleared before the actions of the account come. */
async function* clearing({ transfer }: Storage): AsyncGenerator<UserRecord[]> {
  for await (const page of account()) {
    yield page;
    if (page[0]?.kind === 'user') await transfer.clear();
  }
}

it.each([
  ['that breaks off', 'cut', () => account(() => Promise.reject(new Error('cut')))],
  ['that the storage is cleared under', 'emptied', clearing],
])('an import %s leaves nothing in the file', async (_what, words, records) => {
  const storage = await open('data');
  await expect(storage.transfer.importUser(records(storage))).rejects.toThrow(words);
  for (let slices = 0; slices < 8; slices += 1) await storage.users.create({ name: `${slices}`, passwordHash: 'x' });
  await storage.close();
  const left = ['actions', 'arriving_users', 'removed_users'].filter((table) => count('data', table) > 0);
  expect(left).toEqual([]);
});

it('a process that is killed right after an import leaves all of it', async () => {
  const storage = await open('data');
  const id = await storage.transfer.importUser(account());
  await kill('data', 'killed');
  const after = await open('killed');
  expect(await after.users.find('bob')).toMatchObject({ id, createdAt: NOW });
  expect(await after.podcasts.find([A])).toMatchObject([{ url: A, subscribers: 1 }]);
  expect((await after.sessions.find('digest'))?.user.id).toBe(id);
});

it('an import that fails before it reads anything lets go of those who hand it its pages', async () => {
  await (await open('data')).close();
  const connection = new Driver(join(folder, 'data', 'podsync.db'));
  connection.exec(`CREATE TRIGGER nobody_arrives BEFORE INSERT ON arriving_users BEGIN SELECT raise(ABORT, 'no'); END`);
  connection.close();

  const storage = await open('data');
  let isLetGo = false;
  async function* records(): AsyncGenerator<UserRecord[]> {
    try {
      for (;;) yield [];
    } finally {
      isLetGo = true;
    }
  }
  await expect(storage.transfer.importUser(records())).rejects.toThrow('no');
  expect(isLetGo).toBe(true);
});
