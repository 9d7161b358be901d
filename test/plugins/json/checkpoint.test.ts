import { type FileHandle, open as openFile, readdir, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import { type KeyValueStore, StorageError } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';

vi.mock(import('../../../plugins/json/limits.ts'), async (original) => ({
  ...(await original()),
  MAX_LOG_SIZE: 1000,
  MAX_CHANGES: 50,
}));

/** Runs each creation of a log file, each replacement and removal of a file, and each sync of a folder of files. */
const disk = vi.hoisted(() => ({ run: async (_step: string): Promise<void> => undefined }));
vi.mock(import('../../../plugins/json/file-operations.ts'), async (original) => {
  const files = await original();
  return {
    ...files,
    createFile: (path) => disk.run('createFile').then(() => files.createFile(path)),
    replaceFile: (path, bytes) => disk.run('replaceFile').then(() => files.replaceFile(path, bytes)),
    syncFolder: (path) => disk.run('syncFolder').then(() => files.syncFolder(path)),
    removeFile: (path) => disk.run(`removeFile ${basename(path)}`).then(() => files.removeFile(path)),
  };
});

let dataDir: string;
let store: KeyValueStore;
let release = (): void => undefined;
const open = (): Promise<KeyValueStore> => json.open(json.parse(''), { dataDir, log: () => undefined });

beforeEach(async () => {
  dataDir = await makeFolder();
  store = await open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  release();
  disk.run = async () => undefined;
  await store.close();
});

/** Blocks a step until `release`. Resolves when a checkpoint arrives there. */
const block = (blocked: string): Promise<void> =>
  new Promise((arrive) => {
    const released = new Promise<void>((resolve) => (release = resolve));
    disk.run = async (step) => {
      if (step !== blocked) return;
      arrive();
      await released;
    };
  });

/** Makes a step fail once. Resolves when it does. */
const failOnce = (failing: string): Promise<void> =>
  new Promise((resolve) => {
    disk.run = async (step) => {
      if (step !== failing) return;
      disk.run = async () => undefined;
      resolve();
      throw new StorageError('unavailable', 'the disk is broken');
    };
  });

const set = (key: string, length = 1) => store.commit({ set: [[key, JSON.stringify('x'.repeat(length))]] });

it('commits are stored while a checkpoint is running', async () => {
  const blocked = block('replaceFile');
  await set('a', 2000);
  await set('b');
  await blocked;
  await set('c');
  expect((await store.get(['a', 'b', 'c'])).map((entry) => entry?.value.length)).toEqual([2002, 3, 3]);
});

it('many changes make a checkpoint due, and the next one only after as many again', async () => {
  let logs = 0;
  const removed = new Promise<void>((resolve) => {
    disk.run = async (step) => {
      if (step === 'createFile') logs += 1;
      if (step.startsWith('removeFile wal')) resolve();
    };
  });
  await store.commit({ set: Array.from({ length: 51 }, (_, n) => [`${n}`, '1']) });
  await removed;
  await set('b');
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(logs).toBe(1);
});

it('commits wait for a checkpoint that is behind', async () => {
  const blocked = block('replaceFile');
  await set('a', 2000);
  await blocked;
  await set('b', 2000);
  const file = await openFile(dataDir);
  await file.close();
  const writing = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'write');
  const waiting = set('c');
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(writing).not.toHaveBeenCalled();
  release();
  await waiting;
  expect(writing).toHaveBeenCalledOnce();
});

it.runIf(process.platform === 'linux')(
  'a store that has replaced its log leaves no file open when it is closed',
  async () => {
    await set('a', 2000);
    await store.close();
    const files = (await readdir('/proc/self/fd')).map((file) => readlink(`/proc/self/fd/${file}`).catch(() => ''));
    expect((await Promise.all(files)).filter((path) => path.startsWith(dataDir))).toEqual([]);
    store = await open();
  },
);

it('a file that could not be removed is removed by the next checkpoint, and its keys stay deleted', async () => {
  await set('z/1');
  await store.close();
  store = await open();
  const failed = failOnce('removeFile z.json');
  await store.commit({ delete: ['z/1'], set: [['a', JSON.stringify('x'.repeat(2000))]] });
  await failed;
  await store.close();
  store = await open();
  expect(await store.get(['z/1'])).toEqual([undefined]);
  expect(await readdir(join(dataDir, 'other')).catch(() => [])).toEqual([]);
});

it('values that a failed checkpoint has written to a file of their own are not read again after a restart', async () => {
  const failed = failOnce('syncFolder');
  const long = JSON.stringify('x'.repeat(250_000));
  await store.commit({ set: ['z/1', 'z/2', 'z/3', 'z/4'].map((key) => [key, long]) });
  await failed;
  await store.commit({ set: ['z/1', 'z/2', 'z/3'].map((key) => [key, '"new"']), delete: ['z/4'] });
  await store.close();
  store = await open();
  const entries = await store.list({ from: 'z/', until: 'z0', limit: 10 });
  expect(entries.map(({ key, value }) => [key, value])).toEqual(['z/1', 'z/2', 'z/3'].map((key) => [key, '"new"']));
});

it('no version is used again after a restart, even if commits arrive while the log continues in a new file', async () => {
  const blocked = block('createFile');
  await set('a', 2000);
  await blocked;
  const committing = ['b', 'c', 'd'].map((key) => set(key));
  release();
  const versions = await Promise.all(committing);
  await store.close();
  store = await open();
  expect(await set('b')).toBeGreaterThan(versions.at(-1)!);
});
