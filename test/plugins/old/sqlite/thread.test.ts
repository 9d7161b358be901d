import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import sqlite from '../../../../plugins/old/sqlite/index.ts';
import { storageThread } from '../../../../plugins/old/sqlite/thread.ts';
import type { EpisodeAction, Storage } from '../../../../src/old-plugin.ts';

let dataDir: string;
let storage: Storage;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-sqlite-'));
  const context = { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined };
  storage = await sqlite.open(sqlite.parse(''), context);
});
afterEach(async () => {
  await storage.close();
  await rm(dataDir, { recursive: true });
});

const samples = (count: number, podcast = 'https://feeds.example/1'): EpisodeAction[] =>
  Array.from({ length: count }, (_, n) => ({
    podcast,
    episode: `https://media.example/${n}.mp3`,
    action: 'download',
    timestamp: n,
  }));

it('the server goes on while SQLite works', async () => {
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  const upload = storage.actions.append(id, samples(20_000)).then(() => 'SQLite');
  const server = new Promise((resolve) => void setImmediate(() => resolve('the server')));
  expect(await Promise.race([upload, server])).toBe('the server');
  await upload;
});

it('who was asked for before or while the account changes, is told as changed after it', async () => {
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'old' });
  const session = { digest: 'd', user: id, expiresAt: 1_800_000_000 };
  await storage.sessions.save(session);
  const find = () => Promise.all([storage.users.find('bob'), storage.sessions.find('d')]);
  expect(await find()).toMatchObject([{ passwordHash: 'old' }, { session, user: { passwordHash: 'old' } }]);

  await Promise.all([find(), storage.users.rename(id, 'Bob'), find()]);
  expect(await find()).toMatchObject([{ name: 'Bob' }, { user: { name: 'Bob' } }]);
  await Promise.all([find(), storage.users.setPassword(id, 'new'), find()]);
  expect(await find()).toMatchObject([{ passwordHash: 'new' }, undefined]);
  await Promise.all([find(), storage.users.delete(id), find()]);
  expect(await find()).toEqual([undefined, undefined]);
});

/** Breaks the thread down. The only way from here: to ask for something that is to take no time. */
async function breakDown(): Promise<void> {
  const request = { kind: 'ping' } as const;
  const storage = { number: 0, file: 'other.db', dataDir, overlap: 120 };
  await expect(storageThread.run({ storage, at: 0, request }, 0)).rejects.toThrow('took more than');
}

it('a thread that broke down is replaced by one that knows all that was answered', async () => {
  const bob = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  const upload = storage.actions.append(bob.id, samples(20_000)).catch((error: unknown) => error);
  await breakDown();
  expect(await upload).toMatchObject({ code: 'unavailable', message: expect.stringContaining('try again') });

  expect(await storage.users.find('bob')).toEqual(bob);
  await storage.actions.append(bob.id, samples(1));
});

it('who was reading when the thread broke down gets nothing that another one reads after it', async () => {
  const read = async (name: string) => {
    const { id } = await storage.users.create({ name, passwordHash: 'x' });
    await storage.actions.append(id, samples(3000, `https://feeds.example/${name}`));
    const { pages } = await storage.actions.query(id, {});
    const pagesOf = pages[Symbol.asyncIterator]();
    await pagesOf.next();
    return pagesOf;
  };
  const alice = await read('alice');
  await breakDown();
  const bob = await read('bob');
  await expect(alice.next()).rejects.toMatchObject({ code: 'unavailable' });
  expect((await bob.next()).value[0].podcast).toBe('https://feeds.example/bob');
});

it('a build into a single file runs SQLite, too, where the driver lies beside it', { timeout: 60_000 }, () => {
  const root = join(import.meta.dirname, '../../../..');
  const program = join(dataDir, 'podsync.mjs');
  execFileSync('npm', ['run', 'bundle', '--silent', '--', '--file', program], { cwd: root, stdio: 'ignore' });
  mkdirSync(join(dataDir, 'node_modules'));
  symlinkSync(join(root, 'node_modules/better-sqlite3'), join(dataDir, 'node_modules/better-sqlite3'));
  const podsync = (args: readonly string[], input = '') => {
    const all = [program, ...args, '--data', join(dataDir, 'data'), '--storage', 'sqlite:own.db'];
    return spawnSync(process.execPath, all, { input, encoding: 'utf8' });
  };
  expect(podsync(['user', 'add', 'bob', '--password-stdin'], 'secret\n')).toMatchObject({ status: 0 });
  expect(podsync(['user', 'list', '--json']).stdout).toContain('"name":"bob"');
});
